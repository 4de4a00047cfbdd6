// Counters, values and timers that lines keep, as the content declares them.

import { choose, givenRow, options, showKeepingFocus, tickOf } from "./choices.js";
import { byId, words } from "./dom.js";

const KINDS = { counters: "counter", values: "value", timers: "timer" };
const LABELS = { counters: "Add", values: "Is", timers: "Stamped at tick" };

export class Cells {
  constructor(controls) {
    this.controls = controls;
    byId("cell").addEventListener("change", () => this.form());
    byId("add-cell").addEventListener("click", () => this.put());
  }

  take(content) {
    this.content = content;
    options(byId("cell"), content.cells.map((one) => [`${one.kind}.${one.id}`, `${one.what} ${one.id}`]));
    options(byId("cell-flag"), [["true", "true"], ["false", "false"]]);
    const people = new Map([...content.speakers, ...content.profiles].map((one) => [one.slug, one.name]));
    for (const slug of content.characters) people.set(slug, words(slug));
    options(byId("cell-who"), [...people]);
    this.form();
  }

  chosen() {
    return this.content?.cells.find((one) => `${one.kind}.${one.id}` === byId("cell").value);
  }

  form() {
    const cell = this.chosen();
    const isFlag = cell?.type === "flag";
    byId("cell-line-field").hidden = cell?.scope !== "line";
    byId("cell-who-field").hidden = !ofSomebody(cell);
    byId("cell-value-field").hidden = isFlag;
    byId("cell-flag-field").hidden = !isFlag;
    byId("cell-value").type = cell?.type === "text" ? "text" : "number";
    byId("cell-value").step = cell?.type === "number" ? "any" : "1";
    byId("cell-label").textContent = LABELS[cell?.kind] ?? "";
  }

  put() {
    const cell = this.chosen();
    if (!cell) return;
    const one = { [cell.what]: cell.id };
    const input = byId("cell-value");
    if (cell.type === "flag") one.to = byId("cell-flag").value === "true";
    else if (cell.type === "text") one.to = input.value;
    else if (cell.kind === "timers") one.tick = tickOf(input);
    else if (cell.kind === "counters") one.by = Number.isSafeInteger(input.valueAsNumber) ? input.valueAsNumber : undefined;
    else one.to = Number.isFinite(input.valueAsNumber) ? input.valueAsNumber : undefined;
    if (Object.values(one).includes(undefined)) return input.focus();
    if (ofSomebody(cell)) one.character = byId("cell-who").value;
    if (cell.scope === "line") one.line = byId("cell-line").value.trim();
    if (one.line === "") return byId("cell-line").focus();
    const { given } = this.controls.scene;
    const isSame = (other) => ["character", "line", cell.what].every((name) => other[name] === one[name]);
    this.controls.give({ ...given, [cell.kind]: [...(given[cell.kind] ?? []).filter((other) => !isSame(other)), one] });
  }

  change(kind, one) {
    choose(byId("cell"), `${kind}.${one[KINDS[kind]]}`);
    this.form();
    const value = one.by ?? one.to ?? one.tick ?? "";
    byId("cell-value").value = value;
    byId("cell-flag").value = String(value);
    if (one.character) choose(byId("cell-who"), one.character);
    byId("cell-line").value = one.line ?? "";
    (this.chosen()?.type === "flag" ? byId("cell-flag") : byId("cell-value")).focus();
  }

  render() {
    const { given, speaker, character } = this.controls.scene;
    const rows = Object.keys(KINDS).flatMap((kind) => (given[kind] ?? []).map((one, at) => ({ kind, one, at })));
    showKeepingFocus(byId("cells"), rows.map(({ kind, one, at }) => {
      const text = inWords(kind, one);
      return givenRow(`${kind} ${at}`, text, text, {
        change: () => this.change(kind, one),
        remove: () => this.controls.give({ ...given, [kind]: given[kind].filter((_, place) => place !== at) }),
      });
    }));
    const who = speaker ?? character;
    if (who !== this.who && [...byId("cell-who").options].some((one) => one.value === who)) byId("cell-who").value = who;
    this.who = who;
    byId("cells-count").textContent = rows.length ? `(${rows.length})` : "";
    byId("more-given").hidden = rows.length === 0 && this.controls.content.cells.length === 0;
  }
}

const ofSomebody = (cell) => ["pair", "character"].includes(cell?.scope);

function inWords(kind, one) {
  const whose = [one.character ? ` of ${words(one.character)}` : "", one.line ? ` of ${one.line}` : ""].join("");
  if (kind === "counters") return `${one.counter}${whose}: ${one.by < 0 ? "" : "+"}${one.by}`;
  if (kind === "values") return `${one.value}${whose}: ${one.to}`;
  return `${one.timer}${whose}: stamped at tick ${one.tick}`;
}
