// The scene: one object, the same that a plan's case holds, which the controls show and change, and
// which the address of the page says. The server reads addresses of exactly this form.

import { Cells } from "./cells.js";
import { checked, checks, choose, options } from "./choices.js";
import { byId } from "./dom.js";
import { Facts } from "./facts.js";
import { Moment } from "./moment.js";
import { Past } from "./past.js";

const SINGLE = ["speaker", "character", "trigger", "location", "access", "trust", "strategy"];
const SEVERAL = { situations: "situation", topics: "topic", moods: "mood" };
const KINDS = ["facts", "attributes", "relationships", "interactions", "gossip", "heard", "counters", "values", "timers", "events"];
/** Members of the address that are the page's, not the scene's. */
export const BESIDE = ["tab", "show", "stage", "find", "moves"];

export function toQuery(scene, page = {}) {
  const query = new URLSearchParams();
  for (const name of SINGLE) if (scene[name] !== undefined) query.append(name, scene[name]);
  for (const [name, one] of Object.entries(SEVERAL)) for (const word of scene[name] ?? []) query.append(one, word);
  for (const [name, value] of Object.entries(scene.event ?? {})) query.append(`event.${name}`, JSON.stringify(value));
  for (const one of scene.speaking ?? []) query.append("speaking", `${one.class}:${one.character}`);
  query.append("tick", scene.tick);
  query.append("seed", scene.seed);
  if (scene.mind) query.append("mind", scene.mind);
  for (const kind of KINDS) for (const one of scene.given?.[kind] ?? []) query.append(`given.${kind}`, JSON.stringify(one));
  for (const name of BESIDE) if (page[name]) query.append(name, page[name]);
  return query.toString();
}

/** Return [scene, page]; what cannot be read is left to the server to complain of. */
export function fromQuery(text) {
  const scene = { tick: 0, seed: 0, given: {} };
  const page = {};
  const several = Object.fromEntries(Object.entries(SEVERAL).map(([name, one]) => [one, name]));
  for (const [name, value] of new URLSearchParams(text)) {
    if (BESIDE.includes(name)) page[name] = value;
    else if (SINGLE.includes(name) || name === "mind") scene[name] = value;
    else if (several[name]) (scene[several[name]] ??= []).push(value);
    else if (name === "tick" || name === "seed") scene[name] = Number.parseInt(value, 10) || 0;
    else if (name === "speaking") {
      const at = value.indexOf(":");
      (scene.speaking ??= []).push({ class: value.slice(0, at), character: value.slice(at + 1) });
    } else if (name.startsWith("event.")) (scene.event ??= {})[name.slice(6)] = parsed(value);
    else if (name.startsWith("given.") && KINDS.includes(name.slice(6))) {
      const one = parsed(value);
      if (one && typeof one === "object") (scene.given[name.slice(6)] ??= []).push(one);
    }
  }
  return [scene, page];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * The controls of the scene. After each change `changed` is called with "push" or "replace", and with
 * the names of the members that changed.
 */
export class Controls {
  constructor(changed) {
    this.changed = changed;
    this.content = null;
    this.scene = { tick: 0, seed: 0, given: {} };
    for (const name of ["location", "speaker", "character", "trigger", "access", "trust", "strategy"]) {
      byId(name).addEventListener("change", () => this.pick(name, byId(name).value));
    }
    for (const name of ["tick", "seed"]) {
      byId(name).addEventListener("input", () => this.number(name));
    }
    for (const radio of document.getElementsByName("mode")) {
      radio.addEventListener("change", () => this.mode(radio.value));
    }
    for (const name of Object.keys(SEVERAL)) {
      byId(name).addEventListener("change", () => this.chips(name));
    }
    this.facts = new Facts(this);
    this.parts = [this.facts, new Past(this), new Cells(this), new Moment(this)];
    byId("scene").addEventListener("submit", (event) => event.preventDefault());
    byId("scene").addEventListener("keydown", (event) => this.enter(event));
  }

  get isThought() {
    return this.scene.character !== undefined;
  }

  /** Take new content; the scene stays as it is, even where a name of it is gone. */
  take(content) {
    this.content = content;
    const { enums } = content;
    options(byId("access"), enums.access);
    options(byId("trust"), enums.trust);
    options(byId("trigger"), enums.triggers);
    options(byId("character"), content.characters);
    options(byId("location"), content.places);
    options(byId("strategy"), content.strategies, { none: "as the pools say" });
    for (const part of this.parts) part.take(content);
    this.render();
  }

  /** Show `scene` in the controls. */
  put(scene) {
    this.scene = scene;
    this.render();
  }

  render() {
    const { scene, content } = this;
    if (!content) return;
    const mode = this.isThought ? "monologue" : "dialogue";
    for (const radio of document.getElementsByName("mode")) radio.checked = radio.value === mode;
    for (const part of document.querySelectorAll("#scene [data-mode]")) part.hidden = part.dataset.mode !== mode;
    options(byId("speaker"), this.speakers(scene.location));
    for (const name of ["location", "speaker", "character", "trigger", "access", "trust"]) choose(byId(name), scene[name]);
    choose(byId("strategy"), scene.strategy ?? "");
    for (const name of ["tick", "seed"]) if (Number(byId(name).value) !== scene[name] || byId(name).value === "") byId(name).value = scene[name];
    for (const name of Object.keys(SEVERAL)) checks(byId(name), name, content.enums[name], scene[name] ?? []);
    choose(byId("mind"), scene.mind ?? "party");
    for (const part of this.parts) part.render();
  }

  speakers(location) {
    return this.content.speakers.filter((one) => one.places.includes(location)).map((one) => [one.slug, one.name]);
  }

  /** Give the mind something to know; what happened later than now makes it later. */
  give(given) {
    const lists = Object.entries(given).filter(([, list]) => list.length);
    const latest = Math.max(this.scene.tick, ...lists.flatMap(([, list]) => list.map((one) => Math.max(one.tick ?? 0, one.ended ?? 0))));
    this.update({ given: Object.fromEntries(lists), ...(latest > this.scene.tick ? { tick: latest } : {}) });
  }

  add(kind, one) {
    const given = this.scene.given;
    this.give({ ...given, [kind]: [...(given[kind] ?? []), one] });
  }

  update(changes, how = "push") {
    const scene = { ...this.scene, ...changes };
    for (const [name, value] of Object.entries(changes)) if (value === undefined) delete scene[name];
    this.scene = scene;
    this.render();
    this.changed(how, Object.keys(changes));
  }

  pick(name, value) {
    const changes = { [name]: value === "" ? undefined : value };
    if (name === "trigger") changes.event = undefined; // another trigger has other fields
    if (name === "location" && !this.isThought) {
      const there = this.speakers(value);
      if (!there.some(([slug]) => slug === this.scene.speaker) && there.length) changes.speaker = there[0][0];
    }
    this.update(changes);
  }

  number(name) {
    const value = byId(name).valueAsNumber;
    if (Number.isInteger(value) && value >= 0) this.update({ [name]: value }, "replace");
  }

  mode(mode) {
    const { first } = this.content;
    const { tick, seed, location } = this.scene;
    if (mode === "monologue") {
      this.update({ ...NOTHING, ...(first.monologue ?? {}), tick, seed, location });
    } else {
      const there = this.speakers(location);
      const who = there.length ? { location, speaker: there[0][0] } : {};
      this.update({ ...NOTHING, ...(first.dialogue ?? {}), tick, seed, ...who });
    }
  }

  chips(name) {
    const chosen = checked(byId(name));
    this.update({ [name]: chosen.length || name === "situations" ? chosen : undefined });
  }

  /** Enter in a text field adds what the field is for; there is nothing to submit. */
  enter(event) {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    const adders = { "past-form": "add-past", "cell-form": "add-cell" };
    const form = event.target.closest("#past-form, #cell-form");
    const adder = event.target.id === "scene-name" ? "save" : adders[form?.id];
    if (adder) {
      event.preventDefault();
      byId(adder).click();
    }
  }
}

const NOTHING = Object.fromEntries(["speaker", "character", "trigger", "access", "trust", "situations", "topics", "moods", "event"].map((name) => [name, undefined]));
