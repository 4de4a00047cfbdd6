// What is wrong in the files, and the files themselves: read here, changed in the writer's editor.

import { ask } from "./api.js";
import { byId, el, number, plural, show } from "./dom.js";
import { WindowedList } from "./list.js";
import { findingBox, places } from "./lines.js";

/** All findings, errors first: a windowed list, and the chosen one whole. */
export class Findings {
  constructor(app) {
    this.app = app;
    this.host = byId("panel-findings");
    this.number = null;
    show(this.host,
      el("p", { id: "finding-count", class: "quiet small", role: "status" }),
      el("div", { class: "split" },
        el("div", { id: "findings", class: "list", role: "listbox", tabindex: "0", "aria-label": "Findings; arrow keys move" }),
        el("div", { id: "finding", class: "detail", role: "region", "aria-label": "The chosen finding", "aria-live": "polite" })));
    this.list = new WindowedList(byId("findings"), {
      load: (from, count) => this.load(from, count),
      paint: paintFinding,
      choose: (row) => show(byId("finding"), findingBox(row, app)),
    });
  }

  take(content) {
    this.number = content.number;
    this.shown = null;
    if (!this.host.hidden) this.show();
  }

  async show() {
    if (this.shown === this.number || this.number === null) return;
    this.shown = this.number;
    const answer = await this.read(0, 100);
    if (answer === null) return;
    this.list.set(answer.total, 0, answer.rows, { keepScroll: true });
    byId("finding-count").textContent = answer.total
      ? `${plural(answer.total, "finding")} in the files as they are now`
      : "Nothing was found: the files are in order.";
    if (answer.total) this.list.activate(0);
    else show(byId("finding"), el("p", { class: "quiet", text: "Nothing to correct." }));
  }

  async load(from, count) {
    return (await this.read(from, count))?.rows ?? null;
  }

  async read(from, count) {
    try {
      return await ask(`findings ${from}`, "/api/findings", new URLSearchParams({ from, count }));
    } catch (error) {
      this.app.fail(error);
      return null;
    }
  }
}

function paintFinding(element, row) {
  const where = row.place.file ? `${row.place.file.split("/").pop()}${row.place.line ? `:${row.place.line}` : ""}` : "";
  element.replaceChildren(
    el("span", {}, el("span", { class: `badge ${row.severity}`, text: row.severity })),
    el("span", {},
      el("span", { class: "row-text", dir: "auto", text: row.message }),
      el("span", { class: "row-why", text: `${where} · ${row.code}` })));
  element.setAttribute("aria-label", `${row.severity} ${row.code}, ${where}: ${row.message}`);
}

/** One file, at a line. */
export class Source {
  constructor(app) {
    this.app = app;
    this.host = byId("panel-source");
    this.file = null;
    this.line = 1;
    show(this.host,
      el("div", { class: "list-tools" },
        el("h3", { id: "source-name", class: "mono", tabindex: "-1", text: "No file is open" }),
        el("p", { id: "source-places", class: "buttons" })),
      el("div", { id: "source", class: "list source-list", role: "listbox", tabindex: "0", "aria-label": "Lines of the file; arrow keys move" }));
    this.list = new WindowedList(byId("source"), { paint: paintSource, choose: () => {} });
    window.addEventListener("hashchange", () => this.fromHash());
    this.fromHash();
  }

  fromHash() {
    const found = /^#([^:]+):(\d{1,7})$/.exec(location.hash);
    if (!found) return;
    this.file = decodeURIComponent(found[1]);
    this.line = Number(found[2]);
    this.shown = null;
    if (!this.host.hidden) this.show();
  }

  take(content) {
    this.number = content.number;
    this.shown = null;
    if (!this.host.hidden) this.show({ isSame: true });
  }

  /** Open `file` at `line`: the way that every link of the page takes. */
  open(file, line) {
    this.file = file;
    this.line = line;
    this.shown = null;
    this.app.turn({ tab: "source" });
    history.replaceState(null, "", `#${encodeURIComponent(file)}:${line}`);
    byId("source-name").focus();
  }

  async show({ isSame = false } = {}) {
    if (this.file === null || this.shown === this.file) return;
    this.shown = this.file;
    try {
      const answer = await ask("source", "/api/source", new URLSearchParams({ file: this.file, line: this.line }));
      if (answer === null) return;
      byId("source-name").textContent = `${answer.file}, ${plural(answer.lines.length, "line")}`;
      show(byId("source-places"), places({ ...answer.place, file: null }, this.app), answer.place.editor ? el("a", { href: answer.place.editor, text: `Open in the editor at line ${number(this.line)}` }) : null);
      const rows = answer.lines.map((text, at) => ({ text, number: at + 1 }));
      this.list.set(rows.length, 0, rows, { active: this.line - 1, keepScroll: isSame });
      if (!isSame) this.list.scrollTo(this.line - 1, this.list.host.clientHeight / 3);
    } catch (error) {
      byId("source-name").textContent = `${this.file} cannot be shown`;
      this.list.set(0, 0, []);
      this.app.fail(error);
    }
  }
}

function paintSource(element, row) {
  element.replaceChildren(el("span", { class: "line-number", text: row.number }), el("span", { text: row.text || " " }));
  element.setAttribute("aria-label", `${row.number}: ${row.text}`);
}
