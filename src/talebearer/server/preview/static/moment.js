// What is going on at this very moment: the fields of what happened, and what is being spoken.

import { givenRow, options, showKeepingFocus } from "./choices.js";
import { byId, el, show, words } from "./dom.js";

export class Moment {
  constructor(controls) {
    this.controls = controls;
    byId("add-speaking").addEventListener("click", () => this.speak());
  }

  take(content) {
    options(byId("speaking-class"), content.classes);
    const people = new Map([...content.speakers, ...content.profiles].map((one) => [one.slug, one.name]));
    for (const slug of content.characters) people.set(slug, words(slug));
    this.people = people;
    options(byId("speaking-who"), [...people]);
  }

  render() {
    this.renderFields();
    this.renderSpeaking();
  }

  // --- the fields of what happened ----------------------------------------------------------------

  /** Return field to type: those of the trigger; in a conversation those of every trigger. */
  fields() {
    const { content, scene } = this.controls;
    const declared = scene.character === undefined ? Object.assign({}, ...Object.values(content.fields)) : content.fields[scene.trigger] ?? {};
    return [...new Set([...Object.keys(declared), ...Object.keys(scene.event ?? {})])].map((name) => [name, declared[name]]);
  }

  renderFields() {
    const fields = this.fields();
    const event = this.controls.scene.event ?? {};
    byId("event").hidden = fields.length === 0;
    const isThought = this.controls.scene.character !== undefined;
    const key = JSON.stringify([fields, isThought]);
    if (this.filledWith !== key) {
      this.filledWith = key;
      // A thought is about what happened; what is said seldom is.
      byId("event").open = isThought || Object.keys(event).length > 0;
      show(byId("event-fields"), fields.map(([name, type]) => this.field(name, type)));
    }
    for (const [name] of fields) {
      const input = byId("event-fields").querySelector(`[data-field="${CSS.escape(name)}"]`);
      const value = name in event ? String(event[name]) : "";
      // What is being typed is not written over, such as "1." on the way to 1.5.
      if (input !== document.activeElement || input.tagName === "SELECT") input.value = value;
    }
    byId("event-count").textContent = Object.keys(event).length ? `(${Object.keys(event).length})` : "";
  }

  field(name, type) {
    const attributes = { data: { field: name }, maxlength: type === "text" ? 200 : null, spellcheck: "false" };
    let input;
    const changed = () => this.set(name, read(input, type));
    if (type === "flag") {
      input = el("select", { ...attributes, on: { change: changed } }, ["", "true", "false"].map((value) => el("option", { value, text: value || "not said" })));
    } else {
      input = el("input", { ...attributes, type: type === "number" ? "number" : "text", step: "any", on: { input: changed } });
    }
    return el("label", { class: "field" }, el("span", { text: type ? words(name) : `${name} (not in the content)` }), input);
  }

  set(name, value) {
    const event = { ...this.controls.scene.event, [name]: value };
    if (value === undefined) delete event[name];
    this.controls.update({ event: Object.keys(event).length ? event : undefined }, "replace");
  }

  // --- what is being spoken -----------------------------------------------------------------------

  get spoken() {
    return this.controls.scene.speaking ?? [];
  }

  speak() {
    const one = { class: byId("speaking-class").value, character: byId("speaking-who").value };
    if (!one.class || !one.character) return;
    this.put([...this.spoken.filter((other) => other.character !== one.character), one]);
  }

  put(speaking) {
    this.controls.update({ speaking: speaking.length ? speaking : undefined });
  }

  renderSpeaking() {
    byId("spoken").hidden = this.controls.content.classes.length === 0 && this.spoken.length === 0;
    showKeepingFocus(byId("speaking"), this.spoken.map((one, at) => {
      const text = `${this.people.get(one.character) ?? words(one.character)} speaks: ${words(one.class)}`;
      return givenRow(`speaking ${at}`, text, text, { remove: () => this.put(this.spoken.filter((other) => other !== one)) });
    }));
    byId("speaking-count").textContent = this.spoken.length ? `(${this.spoken.length})` : "";
  }
}

function read(input, type) {
  if (input.value === "") return undefined;
  if (type === "flag") return input.value === "true";
  if (type === "number") return Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : undefined;
  return input.value;
}
