// A whole conversation. The moves are in the address; the server plays them again from the start each
// time, and since every draw is decided by the seed, the same lines come out.

import { ask } from "./api.js";
import { byId, el, number, percent, plural, show, words } from "./dom.js";

const ENDS = { complete: "You part properly.", walk_away: "You walk out.", confront: "You press the matter: it is a confrontation now." };

export class Talk {
  constructor(app) {
    this.app = app;
    this.host = byId("panel-talk");
    const does = (id, text, make, look = "") => el("button", { type: "button", id, class: look, text, on: { click: () => this.do(make()) } });
    this.topics = el("div", { class: "chips", id: "talk-topics", role: "group", "aria-label": "What to bring up" });
    this.mood = el("select", { id: "talk-mood" });
    this.ticks = el("input", { type: "number", id: "talk-ticks", min: 1, step: 1, value: 10, inputmode: "numeric" });
    this.turns = el("ol", { class: "talk", id: "turns", "aria-live": "polite", "aria-label": "The conversation" });
    this.result = el("div", { id: "talk-changes", class: "changes" });
    this.note = el("p", { id: "talk-note", class: "quiet" });
    this.tools = el("div", { class: "stack", id: "talk-tools" },
      this.topics,
      el("div", { class: "buttons" },
        does("talk-say", "Bring it up", () => `say:${this.chosen().join(",")}`, "main"),
        does("talk-confront", "Confront", () => "confront"),
        does("talk-complete", "Part properly", () => "complete"),
        does("talk-walk-away", "Walk out", () => "walk_away")),
      el("details", {}, el("summary", { text: "Mood and time" }),
        el("div", { class: "two" },
          el("label", { class: "field" }, el("span", { text: "The speaker's mood" }), this.mood),
          el("label", { class: "field" }, el("span", { text: "Ticks" }), this.ticks)),
        el("p", { class: "buttons" },
          does("talk-set-mood", "Change the mood", () => `mood:${this.mood.value}`),
          does("talk-wait", "Let time pass", () => `wait:${this.ticks.valueAsNumber || 1}`))));
    show(this.host, el("div", { class: "stack" }, this.note, this.turns, this.tools,
      el("div", { class: "buttons" },
        el("button", { type: "button", id: "talk-undo", text: "Take the last one back", on: { click: () => this.to(this.moves().slice(0, -1)) } }),
        el("button", { type: "button", id: "talk-again", text: "Begin again", on: { click: () => this.to([]) } })),
      this.result));
  }

  moves() {
    return (this.app.page.moves ?? "").split(";").filter(Boolean);
  }

  chosen() {
    return [...this.topics.querySelectorAll("input:checked")].map((box) => box.value);
  }

  do(move) {
    this.to([...this.moves(), move]);
  }

  to(moves) {
    this.app.turn({ moves: moves.join(";") || undefined });
  }

  fill() {
    const { topics, moods } = this.app.content.enums;
    const key = JSON.stringify([topics, moods]);
    if (this.filledWith === key) return;
    this.filledWith = key;
    show(this.topics, topics.map((value) => el("label", { class: "chip" }, el("input", { type: "checkbox", value }), el("span", { text: words(value) }))));
    show(this.mood, moods.map((value) => el("option", { value, text: words(value) })));
  }

  async show() {
    const { scene, content } = this.app;
    if (!content?.is_there) return;
    this.fill();
    const isThought = scene.character !== undefined;
    for (const part of [this.tools, this.turns, this.result]) part.hidden = isThought;
    if (isThought) {
      this.note.textContent = "A thought is no conversation: choose “somebody speaks” in the scene.";
      return;
    }
    const asked = `${this.app.query({ moves: this.moves().join(";") })}&${content.number}`;
    if (asked === this.asked) return;
    this.asked = asked;
    try {
      const talk = await ask("talk", "/api/talk", this.app.query({ moves: this.moves().join(";") }));
      if (talk !== null) this.draw(talk);
    } catch (error) {
      this.asked = null;
      this.app.fail(error);
    }
  }

  draw(talk) {
    this.note.textContent = `${talk.history}`;
    show(this.turns, talk.turns.map((turn) => turnItem(turn, talk)));
    const isOver = talk.is_over;
    const hadFocus = this.tools.contains(document.activeElement);
    this.tools.hidden = isOver;
    byId("talk-confront").disabled = talk.state === "confrontation";
    byId("talk-undo").disabled = byId("talk-again").disabled = talk.turns.length === 0;
    show(this.result, changed(talk));
    if (isOver && hadFocus) byId("talk-again").focus({ preventScroll: true });
  }
}

function turnItem({ move, reply, tick, consequences }, talk) {
  const did = {
    say: () => (move.words?.length ? `You bring up ${move.words.map(words).join(" and ")}.` : "You let them talk."),
    mood: () => `The mood is ${(move.words ?? []).map(words).join(" and ") || "nothing in particular"} now.`,
    wait: () => `${plural(move.ticks, "tick")} pass.`,
    at: () => `You go to ${words(move.location)}.`,
  }[move.kind];
  const isEnd = move.kind in ENDS;
  return el("li", { class: isEnd ? "end" : null },
    el("p", { class: "quiet small", text: `${did ? did() : ENDS[move.kind]} (tick ${number(tick)})` }),
    reply ? said(reply, talk) : null,
    consequences.length ? el("ul", {}, consequences.map((one) => el("li", { text: `${words(one.step)}: ${one.text}` }))) : null);
}

function said(reply, talk) {
  if (reply.text === null) return el("p", { class: "unmet", text: `${talk.name} has nothing to say to that.` });
  const odds = reply.probability === null ? "" : `, ${percent(reply.probability)} of ${plural(reply.eligible, "line")}`;
  return el("div", {},
    el("p", { class: "said", dir: "auto", text: reply.text }),
    el("p", { class: "quiet small", text: `${String(reply.reference).split(":").pop()}${odds}` }),
    reply.learned.length ? el("p", { class: "small" }, el("span", { class: "met", text: "Learned: " }), reply.learned.map((one) => `${one.id} (${words(one.confidence)})`).join(", ")) : null);
}

/** Say what every mind knows otherwise than before the conversation. */
function changed(talk) {
  if (!talk.turns.length) return [];
  if (!talk.changes.length) return [el("p", { class: "quiet", text: "Nobody knows anything new so far." })];
  const rows = talk.changes.flatMap(({ mind, changes }) => changes.map((one, at) => el("tr", {},
    el("th", { scope: "row", text: at === 0 ? mind : "" }),
    el("td", { text: one.kind }), el("td", { class: "mono", title: one.name, text: short(one) }),
    el("td", { text: value(one.before) }), el("td", { text: value(one.after) }))));
  const heads = ["Mind", "What", "Which", "Before", "Now"].map((text) => el("th", { scope: "col", text }));
  return [
    el("h3", { text: talk.is_over ? "What it changed" : "What has changed so far" }),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What changed" },
      el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows.slice(0, 200)))),
  ];
}

/** A line that was heard by its id alone; where its pool lies is in the title. */
const short = (one) => (one.kind === "heard" ? one.name.split("#").pop() : one.name);
const value = (one) => (one === null ? "–" : typeof one === "string" ? words(one) : String(one));
