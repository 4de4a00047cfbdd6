// The lines of the scene: a windowed list, what stopped each of them, and the chosen one whole.

import { ask } from "./api.js";
import { byId, el, number, percent, plural, show, visible, withoutFolders, words } from "./dom.js";
import { stageName, stageWords } from "./funnel.js";
import { WindowedList } from "./list.js";

const FIRST = 60; // rows that come with the funnel, in one answer
const AROUND = 160; // rows that come when the list stays where it is, half of them above
const keyOf = (row) => `${row.pool}#${row.id}`;

export class Lines {
  constructor(app) {
    this.app = app;
    this.chosen = null; // pool and id of the chosen line: it outlives changes of the scene and of files
    this.list = new WindowedList(byId("lines"), {
      load: (from, count) => this.load(from, count),
      paint: paintRow,
      choose: (row) => this.choose(row),
    });
    for (const radio of document.getElementsByName("show")) {
      radio.addEventListener("change", () => app.turn({ show: radio.value === "all" ? undefined : radio.value, stage: undefined }));
    }
    byId("find").addEventListener("input", () => app.turn({ find: byId("find").value.trim() || undefined }, "replace"));
    this.render();
  }

  /** Show in the controls what the address says. */
  render() {
    const { page } = this.app;
    for (const radio of document.getElementsByName("show")) radio.checked = !page.stage && radio.value === (page.show ?? "all");
    if (byId("find").value.trim() !== (page.find ?? "")) byId("find").value = page.find ?? "";
  }

  filter() {
    const { page } = this.app;
    const query = new URLSearchParams();
    if (page.stage) query.set("stage", page.stage);
    else if (page.show) query.set("show", page.show);
    if (page.find) query.set("find", page.find);
    return query;
  }

  /** Return what the question for the scene asks of the list: the rows around what is in sight. */
  window(isSame) {
    const query = this.filter();
    this.anchor = null;
    let from = 0;
    if (isSame && this.list.total) {
      const index = Math.floor(this.list.host.scrollTop / this.list.height);
      const row = this.list.row(index);
      if (row) this.anchor = { key: keyOf(row), offset: index * this.list.height - this.list.host.scrollTop };
      from = Math.max(0, index - AROUND / 2);
    }
    query.set("from", from);
    query.set("count", from ? AROUND : FIRST);
    return query;
  }

  take(answer, isSame) {
    const { list } = answer;
    this.render();
    const at = (key) => (key ? list.rows.findIndex((row) => keyOf(row) === key) : -1);
    const chosen = this.chosen ? at(keyOf(this.chosen)) : -1;
    this.list.set(list.total, list.from, list.rows, { active: chosen < 0 ? -1 : list.from + chosen, keepScroll: isSame });
    // What was at the top of the list stays there, also when lines came or went above it.
    const anchor = at(this.anchor?.key);
    if (isSame && anchor >= 0) this.list.scrollTo(list.from + anchor, this.anchor.offset);
    const { page } = this.app;
    const which = page.stage ? ` that ${stageWords(page.stage)}` : "";
    const count = list.total ? `${plural(list.total, "line")}${which}` : "No line is like that.";
    if (byId("list-count").textContent !== count) byId("list-count").textContent = count;
    // The chosen line stays chosen: whoever turns a control looks what becomes of it.
    if (this.chosen) this.look(this.chosen, { quietly: true });
    else if (list.rows.length) {
      this.list.active = list.from;
      this.list.draw();
      this.look(list.rows[0], { quietly: true });
    } else show(byId("detail"), el("p", { class: "quiet", text: "Choose a line to see it whole." }));
  }

  async load(from, count) {
    const query = this.filter();
    query.set("from", from);
    query.set("count", count);
    try {
      const answer = await ask(`rows ${from}`, "/api/ask", `${this.app.query()}&${query}`);
      return answer?.list.rows ?? null;
    } catch (error) {
      this.app.fail(error);
      return null;
    }
  }

  choose(row) {
    this.chosen = { pool: row.pool, id: row.id };
    this.look(row);
  }

  /** The line that is looked at: the chosen one, else the first of the list. */
  get looked() {
    return this.chosen ?? this.list.row(0);
  }

  async look({ pool, id }, { quietly = false } = {}) {
    try {
      const line = await ask("line", "/api/line", `${this.app.query()}&${new URLSearchParams({ pool, line: id })}`);
      if (line === null) return;
      byId("detail").setAttribute("aria-live", quietly ? "off" : "polite");
      show(byId("detail"), detail(line, this.app));
    } catch (error) {
      this.app.fail(error);
    }
  }

  show() {
    this.list.later();
  }
}

function paintRow(element, row) {
  const can = row.stage === null;
  const odds = can ? el("span", { class: "odds", text: percent(row.chance) }) : el("span", { class: "odds no", text: stageName(row.stage) });
  const body = el("span", {},
    el("span", { class: "row-text", dir: "auto", text: row.text }),
    el("span", { class: "row-why" }, row.findings ? el("span", { class: "badge", text: plural(row.findings, "finding") }) : null,
      visible(`${can ? inDraw(row) : withoutFolders(row.why)} · ${row.id}`)));
  element.replaceChildren(odds, body);
  element.setAttribute("aria-label", `${row.text}. ${can ? `${percent(row.chance)}, ${inDraw(row)}` : `stopped at ${stageName(row.stage)}: ${row.why}`}. ${row.id}`);
}

const inDraw = (row) => (row.score === null ? `weight ${number(row.weight)}` : `score ${row.score}, weight ${number(row.weight)}`);

/** Return everything about one line. */
function detail(line, app) {
  const can = line.stage === null;
  return [
    el("h3", { class: "mono", text: line.id }),
    el("p", { class: "said", dir: "auto", text: line.text }),
    ...line.variants.map((text) => el("p", { class: "said small", dir: "auto", text: `or: ${text}` })),
    el("p", {}, can
      ? el("strong", { class: "met", text: `Can be heard: ${percent(line.chance)} (${inDraw(line)})` })
      : [el("strong", { class: "unmet", text: `Stopped at ${stageName(line.stage)}: ` }), visible(withoutFolders(line.why))]),
    line.gates.length ? el("h3", { text: "Its gates" }) : null,
    line.gates.length ? el("ul", {}, line.gates.map(gateItem)) : null,
    ...unknown(line, app),
    el("dl", { class: "facts" }, line.says.flatMap(([name, value]) => [el("dt", { text: name }), el("dd", { text: value })])),
    line.readings.length ? el("h3", { text: "Two readings" }) : null,
    line.readings.length ? el("dl", { class: "facts" }, line.readings.flatMap(([who, text]) => [el("dt", { text: words(who) }), el("dd", { dir: "auto", text })])) : null,
    line.notes ? el("p", { class: "quiet", dir: "auto", text: `Note: ${line.notes}` }) : null,
    ...line.findings.map((one) => findingBox(one, app)),
    el("p", { class: "buttons" }, ...places(line.place, app),
      el("button", { type: "button", text: "Count it as heard", on: { click: () => app.heard(`${line.pool}#${line.id}`, line.kind === "dialogue" ? app.scene.speaker : undefined) } })),
  ];
}

/** Offer what the gates of a stopped line want known and the scene does not say yet, a button each. */
function unknown(line, app) {
  const known = new Set((app.scene.given.facts ?? []).map((one) => one.fact_id));
  const asks = line.stage === null ? [] : line.asks.filter((one) => !known.has(one.fact_id));
  if (!asks.length) return [];
  return [el("p", { class: "buttons" }, asks.map(({ fact_id: id, ...how }) =>
    el("button", { type: "button", text: `Let it know ${id}`, title: `As its gate wants it: ${words(how.confidence)}`, on: { click: () => app.know(id, how) } })))];
}

function gateItem(gate) {
  return el("li", { title: visible(gate.text) }, el("span", { class: gate.met ? "met" : "unmet", text: gate.met ? "met: " : "not met: " }),
    visible(withoutFolders(gate.text)), el("span", { class: "quiet", text: ` (found: ${withoutFolders(gate.found)})` }));
}

/** Return what opens a place: the file in this page, and the editor where one was named. */
export function places(place, app) {
  if (!place.file) return [];
  const name = place.line ? `${place.file.split("/").pop()}:${place.line}` : place.file.split("/").pop();
  return [
    el("a", {
      href: `?${app.query({ ...app.page, tab: "source" })}#${encodeURIComponent(place.file)}:${place.line ?? 1}`,
      text: `Open ${name}`,
      on: {
        click: (event) => {
          event.preventDefault();
          app.open(place.file, place.line ?? 1);
        },
      },
    }),
    place.editor ? el("a", { href: place.editor, text: "Open in the editor", rel: "noreferrer" }) : null,
  ];
}

export function findingBox(finding, app) {
  return el("div", { class: `finding ${finding.severity}` },
    el("p", {}, el("strong", { text: `${finding.severity} ${finding.code}: ` }), el("span", { dir: "auto", text: finding.message })),
    finding.hint ? el("p", { class: "quiet small", dir: "auto", text: finding.hint }) : null,
    el("p", { class: "buttons small" }, ...places(finding.place, app)));
}
