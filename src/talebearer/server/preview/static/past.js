// What happened with whom, and when: conversations and how they ended, how the mind stands with
// somebody, what was seen of them, stories that were told, lines that were heard.

import { checked, checks, choose, givenRow, options, showKeepingFocus, tickOf } from "./choices.js";
import { byId, words } from "./dom.js";

const KINDS = ["relationships", "interactions", "attributes", "gossip", "heard", "events"];
/** How conversations end, the usual way first; those in progress last. */
const OUTCOMES = ["completed", "walked_away", "conflict_abandoned", "confrontation", "active"];
const ENDED = ["completed", "walked_away", "conflict_abandoned"];

export class Past {
  constructor(controls) {
    this.controls = controls;
    this.changing = null; // kind and place of what is in the form
    byId("what").addEventListener("change", () => this.form());
    byId("add-past").addEventListener("click", () => this.put());
    byId("leave-past").addEventListener("click", () => this.leave());
  }

  take(content) {
    const people = content.profiles.map((one) => [`npc:${one.slug}`, one.name]);
    this.names = new Map(people);
    options(byId("with"), people);
    options(byId("teller"), people);
    options(byId("past-target"), [["party", "the party"], ...content.characters.map((slug) => [`pc:${slug}`, words(slug)]), ...people]);
    options(byId("past-end"), content.interaction_states.filter((state) => state !== "active"));
    options(byId("past-confidence"), content.confidences);
    options(byId("past-where"), content.places, { none: "anywhere" });
    checks(byId("past-topics"), "past-topic", content.enums.topics, checked(byId("past-topics")));
    const known = (state) => content.interaction_states.includes(state);
    options(byId("what"), [
      ...OUTCOMES.filter(known).map((state) => [`interactions.${state}`, `a conversation, ${words(state)}`]),
      ...content.relationship_states.map((state) => [`relationships.${state}`, `they are ${words(state)}`]),
      ["attributes", "something seen of them"],
      ["gossip", "a story told about them"],
      ["heard", "a line was heard"],
    ]);
    this.form();
  }

  /** Show those fields of the form that belong to what is chosen. */
  form() {
    const [kind, state] = byId("what").value.split(".");
    for (const part of byId("past-form").querySelectorAll("[data-past]")) {
      const [kinds, states] = part.dataset.past.split("/");
      part.hidden = !kinds.split(" ").includes(kind) || (states !== undefined && !states.split(" ").includes(state));
    }
    byId("past-tick-label").textContent = kind === "interactions" && ENDED.includes(state) ? "Began at tick" : "At tick";
    byId("add-past").textContent = this.changing ? "Change it" : "Add it";
    byId("leave-past").hidden = this.changing === null;
  }

  /** Return kind and entry of what the form says. */
  read() {
    const [kind, state] = byId("what").value.split(".");
    const who = byId("with").value;
    const text = (id) => byId(id).value.trim();
    const tick = tickOf(byId("past-tick"));
    const when = tick ? { tick } : {};
    const make = {
      interactions: () => {
        const topics = state === "completed" ? checked(byId("past-topics")) : [];
        const ended = ENDED.includes(state) ? tickOf(byId("past-ended")) : undefined;
        return {
          target: who, state,
          ...(state === "completed" && byId("past-confronted").checked ? { confronted: true } : {}),
          ...(text("past-where") ? { location: text("past-where") } : {}),
          ...(topics.length ? { topics } : {}),
          ...when,
          ...(ended ? { ended } : {}),
        };
      },
      relationships: () => ({ target: who, state, ...when }),
      attributes: () => ({ entity: who, key: text("attribute-key"), value: text("attribute-value"), ...when }),
      gossip: () => ({
        about: who, teller: text("teller"), fact_id: `interaction.${who.replace(/^npc:/, "")}_001`,
        target: text("past-target"), state: text("past-end"), confidence: text("past-confidence"), ...when,
      }),
      heard: () => ({ line: text("past-line"), ...when }),
    };
    return [kind, make[kind]()];
  }

  /** Put what is given as `kind` into the form. */
  write(kind, one) {
    choose(byId("what"), one.state && kind !== "gossip" ? `${kind}.${one.state}` : kind);
    const who = one.target ?? one.entity ?? one.about;
    if (kind === "gossip") {
      choose(byId("with"), one.about);
      choose(byId("teller"), one.teller);
      choose(byId("past-target"), one.target ?? "party");
      choose(byId("past-end"), one.state ?? "completed");
      choose(byId("past-confidence"), one.confidence ?? "suspects");
    } else if (who) choose(byId("with"), who);
    byId("past-confronted").checked = one.confronted ?? false;
    choose(byId("past-where"), one.location ?? "");
    checks(byId("past-topics"), "past-topic", this.controls.content.enums.topics, one.topics ?? []);
    byId("attribute-key").value = one.key ?? "";
    byId("attribute-value").value = one.value ?? "";
    byId("past-line").value = one.line ?? "";
    byId("past-tick").value = one.tick ?? "";
    byId("past-ended").value = one.ended ?? "";
  }

  put() {
    const [kind, made] = this.read();
    const empty = { attributes: ["key", "value"], heard: ["line"] }[kind]?.find((name) => !made[name]);
    if (empty) return byId({ key: "attribute-key", value: "attribute-value", line: "past-line" }[empty]).focus();
    const given = structuredClone(this.controls.scene.given);
    const { changing } = this;
    this.changing = null;
    if (changing?.kind === kind) {
      const before = given[kind][changing.at];
      // What the form has no field for stays, such as which story it was, or who said a line.
      const kept = kind === "gossip" && before.about === made.about ? { fact_id: before.fact_id } : kind === "heard" && before.speaker ? { speaker: before.speaker } : {};
      given[kind][changing.at] = { ...made, ...kept };
    } else {
      if (changing) given[changing.kind].splice(changing.at, 1);
      // Somebody stands in one way to somebody at a time.
      const rest = (given[kind] ?? []).filter((one) => kind !== "relationships" || one.target !== made.target || (one.tick ?? 0) !== (made.tick ?? 0));
      given[kind] = [...rest, made];
    }
    this.controls.give(given);
    this.clear();
    byId("add-past").focus({ preventScroll: true });
  }

  /** Begin anew, with whom and what as they were: the next thing is often alike. */
  clear() {
    for (const id of ["attribute-key", "attribute-value", "past-line", "past-tick", "past-ended", "past-where"]) byId(id).value = "";
    for (const box of byId("past-form").querySelectorAll("input:checked")) box.checked = false;
    this.form();
  }

  leave() {
    this.changing = null;
    this.clear();
    this.render();
    byId("what").focus();
  }

  change(kind, at) {
    this.changing = { kind, at };
    this.write(kind, this.controls.scene.given[kind][at]);
    this.form();
    this.render();
    byId("what").focus();
  }

  render() {
    const { given, speaker } = this.controls.scene;
    if (this.changing && !given[this.changing.kind]?.[this.changing.at]) this.changing = null;
    // Whoever speaks is whom one asks about, until somebody else is chosen.
    if (speaker !== this.speaker && !this.changing && this.names.has(`npc:${speaker}`)) byId("with").value = `npc:${speaker}`;
    this.speaker = speaker;
    const rows = KINDS.flatMap((kind) => (given[kind] ?? []).map((one, at) => ({ kind, one, at })));
    rows.sort((a, b) => (a.one.tick ?? 0) - (b.one.tick ?? 0));
    showKeepingFocus(byId("past"), rows.map(({ kind, one, at }) => {
      const text = this.inWords(kind, one);
      return givenRow(`${kind} ${at}`, text, text, {
        change: kind === "events" ? null : () => this.change(kind, at),
        remove: () => this.remove(kind, at),
        isChanging: this.changing?.kind === kind && this.changing.at === at,
      });
    }));
    byId("happened-count").textContent = rows.length ? `(${rows.length})` : "";
    byId("past-none").hidden = rows.length > 0;
    byId("add-past").textContent = this.changing ? "Change it" : "Add it";
    byId("leave-past").hidden = this.changing === null;
  }

  remove(kind, at) {
    this.changing = null;
    const { given } = this.controls.scene;
    this.controls.give({ ...given, [kind]: given[kind].filter((_, place) => place !== at) });
  }

  /** Say in plain words what happened. */
  inWords(kind, one) {
    const who = (ref) => this.names?.get(ref) ?? words(String(ref ?? "").replace(/^(npc|pc):/, ""));
    const when = one.ended && one.ended !== one.tick ? `ticks ${one.tick ?? 0} to ${one.ended}` : `tick ${one.tick ?? 0}`;
    const say = {
      attributes: () => `${who(one.entity)}: ${one.key} is ${one.value}`,
      relationships: () => `${who(one.target)} is ${words(one.state)}`,
      interactions: () => [
        `${who(one.target)}: conversation, ${words(one.state)}`,
        one.confronted ? "after a confrontation" : null,
        one.topics?.length ? `about ${one.topics.map(words).join(" and ")}` : null,
        one.location ? `at ${words(one.location)}` : null,
      ].filter(Boolean).join(", "),
      gossip: () => `${who(one.teller)} told that ${who(one.about)} and ${who(one.target ?? "party")} ${one.state ? `had a conversation, ${words(one.state)}` : "talked"}`,
      heard: () => `heard ${String(one.line).split("#").pop()}${one.speaker ? ` from ${who(`npc:${one.speaker}`)}` : ""}`,
      events: () => `${words(one.kind)}${one.mind ? ` (${one.mind})` : ""}: ${JSON.stringify(one.data)}`,
    };
    return `${say[kind]()}, ${when}`;
  }
}
