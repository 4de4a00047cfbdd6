// What the mind knows: facts, found by words of their id or description, each with how well it is
// known, in which state, and since when.

import { options, showKeepingFocus, tickOf } from "./choices.js";
import { byId, el, number, show, words } from "./dom.js";

const OFFERED_MAX = 50;
const MADE_BY_PLAY = /^(interaction|gossip)\./; // no catalogue has these

export class Facts {
  constructor(controls) {
    this.controls = controls;
    this.input = byId("fact");
    this.list = byId("fact-list");
    this.searched = [];
    this.found = [];
    this.active = -1;
    this.input.addEventListener("input", () => this.offer());
    this.input.addEventListener("focus", () => this.offer());
    this.input.addEventListener("blur", () => this.close());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
    this.list.addEventListener("click", (event) => {
      const option = event.target.closest("[data-fact]");
      if (option) this.add(option.dataset.fact);
    });
    byId("add-fact").addEventListener("click", () => this.add(this.meant()));
    byId("mind").addEventListener("change", () => {
      const mind = byId("mind").value;
      controls.update({ mind: mind === "party" ? undefined : mind });
    });
  }

  get known() {
    return this.controls.scene.given.facts ?? [];
  }

  take(content) {
    this.searched = content.facts.map((fact) => [fact, `${fact.id} ${fact.description}`.toLowerCase()]);
    this.descriptions = new Map(content.facts.map((fact) => [fact.id, fact.description]));
    options(byId("confidence"), content.confidences);
    options(byId("mind"), [
      ["party", "the party"],
      ...content.characters.map((slug) => [`pc:${slug}`, words(slug)]),
      ...content.profiles.map((one) => [`npc:${one.slug}`, one.name]),
    ]);
    if (!this.list.hidden) this.offer();
  }

  // --- the field and what it offers ---------------------------------------------------------------

  /** Offer the facts that have every word that was typed; those with a word in their id come first. */
  offer() {
    const asked = this.input.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.searched.filter(([, text]) => asked.every((word) => text.includes(word))).map(([fact]) => fact);
    const isNamed = (fact) => asked.length > 0 && asked.every((word) => fact.id.includes(word));
    const ranked = [...found.filter(isNamed), ...found.filter((fact) => !isNamed(fact))];
    this.found = ranked.slice(0, OFFERED_MAX);
    this.active = asked.length && this.found.length ? 0 : -1;
    const known = new Set(this.known.map((one) => one.fact_id));
    show(this.list, this.found.map((fact, at) => el("li", { role: "option", id: `fact-${at}`, data: { fact: fact.id }, "aria-selected": false },
      el("span", { class: "mono", text: known.has(fact.id) ? `✓ ${fact.id}` : fact.id }),
      el("span", { class: "quiet small", dir: "auto", text: fact.description }))));
    byId("fact-count").textContent = found.length > this.found.length
      ? `${number(this.found.length)} of ${number(found.length)} facts; more words find fewer`
      : found.length ? `${number(found.length)} ${found.length === 1 ? "fact" : "facts"}` : "No fact of the content has these words.";
    this.open(this.found.length > 0);
    this.mark();
  }

  open(isOpen) {
    this.list.hidden = !isOpen;
    this.input.setAttribute("aria-expanded", isOpen);
  }

  close() {
    this.open(false);
    this.active = -1;
    this.input.removeAttribute("aria-activedescendant");
    byId("fact-count").textContent = "";
  }

  mark() {
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", at === this.active));
    if (this.active < 0) this.input.removeAttribute("aria-activedescendant");
    else {
      this.input.setAttribute("aria-activedescendant", `fact-${this.active}`);
      this.list.children[this.active].scrollIntoView({ block: "nearest" });
    }
  }

  key(event) {
    if (event.key === "Enter") {
      event.preventDefault();
      this.add(this.meant());
    } else if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) this.offer();
      const count = this.found.length;
      if (!count) return;
      const step = event.key === "ArrowDown" ? 1 : -1;
      this.active = this.active < 0 ? (step > 0 ? 0 : count - 1) : (this.active + step + count) % count;
      this.mark();
    }
  }

  /** Return the fact that is meant: the one that is marked, else what was typed. */
  meant() {
    return this.list.hidden || this.active < 0 ? this.input.value.trim() : this.found[this.active].id;
  }

  // --- what is known ------------------------------------------------------------------------------

  /** Let the mind know a fact, as well as the field says unless `entry` says how. */
  add(id, entry = {}) {
    if (!id) return this.input.focus();
    const one = { fact_id: id, confidence: byId("confidence").value, ...entry };
    this.put(this.known.some((other) => other.fact_id === id)
      ? this.known.map((other) => (other.fact_id === id ? { ...other, ...one } : other))
      : [...this.known, one]);
    this.input.value = "";
    this.close();
    byId("knows").open = true;
  }

  put(facts) {
    this.controls.give({ ...this.controls.scene.given, facts });
  }

  change(id, changes) {
    this.put(this.known.map((one) => (one.fact_id === id ? clean({ ...one, ...changes }) : one)));
  }

  render() {
    showKeepingFocus(byId("facts"), this.known.map((one) => this.row(one)));
    byId("knows-count").textContent = this.known.length ? `(${this.known.length})` : "";
  }

  row(one) {
    const { content } = this.controls;
    const id = one.fact_id;
    const said = this.descriptions.get(id) ?? (MADE_BY_PLAY.test(id) ? "" : "not in the content");
    const select = (label, values, value, changed) => {
      const made = el("select", { "aria-label": `${label}: ${id}`, data: { at: `${id} ${label}` }, on: { change: () => changed(made.value) } });
      options(made, values);
      made.value = value;
      return made;
    };
    const since = el("input", { type: "number", min: 0, step: 1, inputmode: "numeric", placeholder: "0", value: one.tick ?? "",
      "aria-label": `Since tick: ${id}`, data: { at: `${id} since` },
      on: { change: () => this.change(id, { tick: tickOf(since) || undefined }) } });
    return el("li", { class: "known" },
      el("span", { class: "known-name" }, el("span", { class: "mono", text: id }), said ? el("span", { class: "quiet small", dir: "auto", text: said }) : null),
      el("span", { class: "known-how" },
        select("How well it is known", content.confidences, one.confidence, (confidence) => this.change(id, { confidence })),
        select("Whether it holds", content.fact_states, one.fact_state ?? "active", (state) => this.change(id, { fact_state: state === "active" ? undefined : state })),
        el("label", { class: "since" }, el("span", { class: "label", text: "since tick" }), since),
        el("button", { type: "button", class: "plain", "aria-label": `Take away: ${id}`, text: "take away", data: { at: `${id} remove` },
          on: { click: () => this.put(this.known.filter((other) => other.fact_id !== id)) } })));
  }
}

const clean = (one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined));
