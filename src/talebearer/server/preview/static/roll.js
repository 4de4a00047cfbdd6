// A hundred draws: what really comes, how often, and how soon again.

import { ask } from "./api.js";
import { byId, el, number, percent, plural, show, svg } from "./dom.js";

const DRAWS = 100;
const ROWS_MAX = 150;
const SHADES = 8; // classes of the style sheet, for the lines that come most

export class Roll {
  constructor(app) {
    this.app = app;
    this.host = byId("panel-roll");
    this.result = el("div", { class: "stack", id: "roll-result" });
    this.wait = el("input", { type: "number", id: "roll-wait", min: 0, step: 1, value: 0, inputmode: "numeric" });
    const how = (value, text, checked) => el("label", { class: "chip" },
      el("input", { type: "radio", name: "roll-how", value, checked }), el("span", { text }));
    show(this.host,
      el("div", { class: "list-tools" },
        el("div", { class: "chips", role: "radiogroup", "aria-label": "How it is rolled" },
          how("fresh", "each draw is the first one", true),
          how("played", "one after another, all heard", false)),
        el("label", { class: "field", id: "roll-wait-field" }, el("span", { text: "Ticks between two" }), this.wait),
        el("button", { type: "button", class: "main", id: "roll", text: `Roll ${DRAWS} more`, on: { click: () => this.again() } })),
      this.result);
    this.host.addEventListener("change", () => this.roll());
    this.first = 0;
  }

  show() {
    const asked = this.app.query() + this.app.content?.number;
    if (asked === this.asked) return;
    this.asked = asked;
    this.first = 0;
    this.roll();
  }

  again() {
    this.first += DRAWS;
    this.roll();
  }

  async roll() {
    const how = this.host.querySelector('input[name="roll-how"]:checked').value;
    byId("roll-wait-field").hidden = how !== "played";
    const query = new URLSearchParams({ draws: DRAWS, remember: how === "played" ? 1 : 0, wait: this.wait.valueAsNumber || 0, skip: this.first });
    try {
      const rolls = await ask("roll", "/api/roll", `${this.app.query()}&${query}`);
      if (rolls !== null) show(this.result, picture(rolls));
    } catch (error) {
      this.app.fail(error);
    }
  }
}

function picture(rolls) {
  const most = Math.max(...rolls.lines.map((line) => Math.max(line.count / rolls.draws, line.odds ?? 0)), 1 / rolls.draws);
  const came = rolls.lines.filter((line) => line.count).length;
  const summary = [
    `${plural(came, "line")} came in ${plural(rolls.draws, "draw")}`,
    rolls.repeats ? `${plural(rolls.repeats, "time")} the same line twice running` : "never the same line twice running",
    rolls.nothing ? `${plural(rolls.nothing, "time")} nobody had anything to say` : null,
  ].filter(Boolean).join("; ");
  return [
    el("p", { id: "roll-summary", role: "status", text: `${summary}.` }),
    strip(rolls),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What came" }, el("table", {},
      el("thead", {}, el("tr", {},
        el("th", { text: "Line", scope: "col" }), el("th", { class: "count", text: "Came", scope: "col" }),
        el("th", { class: "count", text: "Chance", scope: "col" }), el("th", { text: `Came, and what was due, of ${percent(most)}`, scope: "col" }),
        el("th", { class: "count", text: "Soonest again", scope: "col" }))),
      el("tbody", {}, rolls.lines.slice(0, ROWS_MAX).map((line) => row(line, rolls.draws, most))))),
    rolls.lines.length > ROWS_MAX ? el("p", { class: "quiet", text: `and ${number(rolls.lines.length - ROWS_MAX)} more, which came less often` }) : null,
  ];
}

function row(line, draws, most) {
  return el("tr", {},
    el("td", {}, el("span", { class: "row-text", dir: "auto", text: line.text }), el("span", { class: "quiet small mono", text: line.line_id })),
    el("td", { class: "count", text: number(line.count) }),
    el("td", { class: "count", text: line.odds === null ? "later only" : percent(line.odds) }),
    el("td", {}, bar(line.count / draws, line.odds ?? 0, most)),
    el("td", { class: "count", text: line.gap === null ? "–" : line.gap === 1 ? "at once" : `after ${number(line.gap)}` }));
}

/** What came as a bar, and what was due as a tick on it. */
function bar(got, due, most) {
  const at = (share) => (100 * share) / most;
  return svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `came ${percent(got)}, due ${percent(due)}` },
    svg("rect", { class: "ground", width: 100, height: 10 }),
    svg("rect", { class: "got", y: 1.5, width: at(got).toFixed(2), height: 7 }),
    due ? svg("rect", { class: "due", x: Math.min(99, at(due)).toFixed(2), width: 1, height: 10 }) : null);
}

/** The draws in their order, one cell each, a shade for each of the lines that came most. */
function strip(rolls) {
  const rank = new Map(rolls.lines.map((line, at) => [`${line.pool}#${line.line_id}`, at]));
  const wide = 100 / rolls.order.length;
  const cells = rolls.order.map((key, at) => {
    const place = key === null ? -1 : rank.get(`${key[0]}#${key[1]}`);
    const name = key === null ? "nothing" : key[1];
    const shade = place < 0 ? "shade-none" : `shade-${Math.min(place, SHADES - 1)}`;
    return svg("rect", { class: shade, x: (at * wide).toFixed(3), width: (wide * 0.92).toFixed(3), height: 10 }, svg("title", {}, `${at + 1}: ${name}`));
  });
  return svg("svg", { class: "strip", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `The draws in their order; ${plural(rolls.repeats, "repetition")}` }, cells);
}
