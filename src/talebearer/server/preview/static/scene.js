// The scene: one object, the same that a plan's case holds, which the controls show and change, and
// which the address of the page says. The server reads addresses of exactly this form.

import { byId, el, show, words } from "./dom.js";

const SINGLE = ["speaker", "character", "trigger", "location", "access", "trust", "strategy"];
const SEVERAL = { situations: "situation", topics: "topic", moods: "mood" };
const KINDS = ["facts", "attributes", "relationships", "interactions", "gossip", "heard", "counters", "values", "timers"];
/** Members of the address that are the page's, not the scene's. */
export const BESIDE = ["tab", "show", "stage", "find", "moves"];
const OPTIONS_MAX = 100;

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
    byId("fact").addEventListener("input", () => this.offerFacts());
    byId("add-fact").addEventListener("click", () => this.addFact());
    byId("what").addEventListener("change", () => this.pastForm());
    byId("add-past").addEventListener("click", () => this.addPast());
    byId("cell").addEventListener("change", () => this.cellForm());
    byId("add-cell").addEventListener("click", () => this.addCell());
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
    options(byId("confidence"), content.confidences);
    options(byId("with"), content.profiles.map((one) => [`npc:${one.slug}`, one.name]));
    options(byId("what"), [
      ...content.interaction_states.map((state) => [`interactions.${state}`, `a conversation, ${words(state)}`]),
      ...content.relationship_states.map((state) => [`relationships.${state}`, `they are ${words(state)}`]),
      ["attributes", "something seen of them"],
      ["gossip", "a story told about them"],
    ]);
    options(byId("teller"), content.profiles.map((one) => [`npc:${one.slug}`, one.name]));
    options(byId("cell"), content.cells.map((one) => [`${one.kind}.${one.id}`, `${one.what} ${one.id}`]));
    byId("more-given").hidden = content.cells.length === 0;
    this.offerFacts();
    this.pastForm();
    this.cellForm();
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
    this.renderGiven();
  }

  speakers(location) {
    return this.content.speakers.filter((one) => one.places.includes(location)).map((one) => [one.slug, one.name]);
  }

  renderGiven() {
    const list = (id, kinds) => {
      const rows = kinds.flatMap((kind) => (this.scene.given[kind] ?? []).map((one, at) => this.given(kind, one, at)));
      show(byId(id), rows);
      return rows.length ? `(${rows.length})` : "";
    };
    byId("knows-count").textContent = list("facts", ["facts"]);
    byId("happened-count").textContent = list("past", ["relationships", "interactions", "attributes", "gossip", "heard"]);
    byId("cells-count").textContent = list("cells", ["counters", "values", "timers"]);
  }

  given(kind, one, at) {
    const text = inWords(kind, one);
    const remove = () => {
      const rest = this.scene.given[kind].filter((_, place) => place !== at);
      this.give({ ...this.scene.given, [kind]: rest });
    };
    return el("li", {}, el("span", { text }),
      el("button", { type: "button", class: "plain", "aria-label": `Take away: ${text}`, text: "take away", on: { click: remove } }));
  }

  give(given) {
    this.update({ given: Object.fromEntries(Object.entries(given).filter(([, list]) => list.length)) });
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
    const first = this.content.first;
    if (mode === "monologue") {
      this.update({ ...NOTHING, ...(first.monologue ?? {}), location: this.scene.location });
    } else {
      const there = this.speakers(this.scene.location);
      const who = there.length ? { location: this.scene.location, speaker: there[0][0] } : {};
      this.update({ ...NOTHING, ...(first.dialogue ?? {}), ...who });
    }
  }

  chips(name) {
    const boxes = [...byId(name).querySelectorAll("input")];
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    this.update({ [name]: chosen.length || name === "situations" ? chosen : undefined });
  }

  offerFacts() {
    const asked = byId("fact").value.trim().toLowerCase();
    const found = this.content?.facts.filter((one) => `${one.id} ${one.description}`.toLowerCase().includes(asked)) ?? [];
    show(byId("fact-list"), found.slice(0, OPTIONS_MAX).map((one) => el("option", { value: one.id, text: one.description })));
  }

  addFact() {
    const id = byId("fact").value.trim();
    if (!id) return byId("fact").focus();
    const rest = (this.scene.given.facts ?? []).filter((one) => one.fact_id !== id);
    this.give({ ...this.scene.given, facts: [...rest, { fact_id: id, confidence: byId("confidence").value }] });
    byId("fact").value = "";
    this.offerFacts();
  }

  pastForm() {
    const kind = byId("what").value;
    byId("attribute-form").hidden = kind !== "attributes";
    byId("gossip-form").hidden = kind !== "gossip";
  }

  addPast() {
    const [kind, state] = byId("what").value.split(".");
    const who = byId("with").value;
    if (kind === "interactions") this.add(kind, { target: who, state });
    else if (kind === "relationships") {
      const rest = (this.scene.given.relationships ?? []).filter((one) => one.target !== who);
      this.give({ ...this.scene.given, relationships: [...rest, { target: who, state }] });
    } else if (kind === "attributes") {
      this.add(kind, { entity: who, key: byId("attribute-key").value.trim(), value: byId("attribute-value").value.trim() });
    } else {
      const slug = who.slice(4);
      this.add(kind, { about: who, teller: byId("teller").value, fact_id: `interaction.${slug}_001`, target: "party", state: "walked_away" });
    }
  }

  cell() {
    return this.content?.cells.find((one) => `${one.kind}.${one.id}` === byId("cell").value);
  }

  cellForm() {
    const cell = this.cell();
    byId("cell-line-field").hidden = cell?.scope !== "line";
    const labels = { counters: "Add", values: "Is", timers: "Stamped at tick" };
    byId("cell-label").textContent = labels[cell?.kind] ?? "";
  }

  addCell() {
    const cell = this.cell();
    if (!cell) return;
    const text = byId("cell-value").value.trim();
    const one = { [cell.what]: cell.id };
    if (cell.kind === "counters") one.by = Number.parseInt(text, 10) || 0;
    else if (cell.kind === "timers") one.tick = Number.parseInt(text, 10) || 0;
    else one.to = cell.type === "number" ? Number(text) || 0 : cell.type === "flag" ? text === "true" : text;
    if (["pair", "character"].includes(cell.scope)) one.character = this.scene.speaker ?? this.scene.character;
    if (cell.scope === "line") one.line = byId("cell-line").value.trim();
    this.add(cell.kind, one);
  }

  /** Enter in a text field adds what the field is for; there is nothing to submit. */
  enter(event) {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    const adders = { fact: "add-fact", "attribute-value": "add-past", "cell-value": "add-cell", "scene-name": "save" };
    const adder = adders[event.target.id];
    if (adder) {
      event.preventDefault();
      byId(adder).click();
    }
  }
}

const NOTHING = Object.fromEntries(["speaker", "character", "trigger", "access", "trust", "situations", "topics", "moods"].map((name) => [name, undefined]));

/** Say in plain words what is given. */
export function inWords(kind, one) {
  const who = (ref) => words(String(ref ?? "").replace(/^(npc|pc):/, ""));
  const at = one.tick ? `, tick ${one.tick}` : "";
  switch (kind) {
    case "facts": return `${one.fact_id}: ${words(one.confidence)}${at}`;
    case "attributes": return `${who(one.entity)}: ${one.key} is ${one.value}${at}`;
    case "relationships": return `${who(one.target)} is ${words(one.state)}${at}`;
    case "interactions": return `conversation with ${who(one.target)}, ${words(one.state)}${at}`;
    case "gossip": return `${who(one.teller)} told about ${who(one.about)}${at}`;
    case "heard": return `heard ${one.line}${at}`;
    case "counters": return `${one.counter} ${one.by < 0 ? "" : "+"}${one.by}${one.character ? ` with ${who(one.character)}` : ""}${at}`;
    case "values": return `${one.value} is ${one.to}${at}`;
    default: return `${one.timer} stamped at tick ${one.tick}`;
  }
}

/** Fill a select; entries are values or [value, label]. What was chosen stays chosen. */
export function options(select, entries, { none } = {}) {
  const pairs = entries.map((one) => (Array.isArray(one) ? one : [one, words(one)]));
  if (none !== undefined) pairs.unshift(["", none]);
  const key = JSON.stringify(pairs);
  if (select.filledWith === key) return;
  const before = select.value;
  show(select, pairs.map(([value, label]) => el("option", { value, text: label })));
  select.filledWith = key;
  if (pairs.some(([value]) => value === before)) select.value = before;
}

/** Choose `value`; one that is not offered is shown as what it is, so that nothing is hidden. */
function choose(select, value) {
  select.querySelector("option[data-gone]")?.remove();
  if (value === undefined) return;
  if (![...select.options].some((one) => one.value === value)) {
    select.append(el("option", { value, text: `${value} (not in the content)`, data: { gone: "" } }));
  }
  select.value = value;
}

function checks(host, name, entries, chosen) {
  const all = [...entries, ...chosen.filter((one) => !entries.includes(one))];
  const key = JSON.stringify(all);
  if (host.filledWith !== key) {
    show(host, all.map((value) => el("label", { class: "chip" },
      el("input", { type: "checkbox", name, value }), el("span", { text: words(value) }))));
    host.filledWith = key;
  }
  for (const box of host.querySelectorAll("input")) box.checked = chosen.includes(box.value);
}
