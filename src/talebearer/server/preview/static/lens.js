// Two readings of one moment: what the author noted for each player character, and what the engine
// has each of them think at it.

import { ask } from "./api.js";
import { byId, el, plural, show, words } from "./dom.js";
import { places } from "./lines.js";

export class Lens {
  constructor(app) {
    this.app = app;
    this.host = byId("panel-lens");
    this.trigger = el("select", { id: "lens-trigger", on: { change: () => this.show() } });
    this.result = el("div", { class: "stack", id: "lens-result", "aria-live": "polite" });
    show(this.host, el("div", { class: "list-tools" },
      el("p", { class: "quiet", text: "How each player character reads the line that is chosen under Lines." }),
      el("label", { class: "field" }, el("span", { text: "What they think on" }), this.trigger)), this.result);
  }

  fill() {
    const { triggers } = this.app.content.enums;
    const key = triggers.join();
    if (this.filledWith === key) return;
    this.filledWith = key;
    show(this.trigger, el("option", { value: "", text: "the usual trigger" }), triggers.map((value) => el("option", { value, text: words(value) })));
  }

  async show() {
    const { content, looked } = this.app;
    if (!content?.is_there) return;
    this.fill();
    if (!looked) {
      show(this.result, el("p", { class: "empty", text: "No line is chosen, and none is in the list." }));
      return;
    }
    const query = new URLSearchParams({ pool: looked.pool, line: looked.id });
    if (this.trigger.value) query.set("upon", this.trigger.value);
    try {
      const lens = await ask("lens", "/api/lens", `${this.app.query()}&${query}`);
      if (lens !== null) show(this.result, this.both(lens));
    } catch (error) {
      this.app.fail(error);
    }
  }

  both(lens) {
    return [
      el("p", { class: "said", dir: "auto", text: lens.text }),
      el("p", { class: "buttons" }, el("span", { class: "mono", text: lens.line_id }), ...places(lens.place, this.app)),
      lens.notes ? el("p", { class: "quiet", dir: "auto", text: `Note: ${lens.notes}` }) : null,
      el("div", { class: "lens" }, lens.readings.map((one) => reading(one, lens.trigger))),
    ];
  }
}

function reading({ character, note, is_own: isOwn, thought, eligible }, trigger) {
  return el("section", { "aria-label": `As the ${words(character)} reads it` },
    el("h3", { text: words(character) }),
    note ? el("p", { dir: "auto", text: note }) : el("p", { class: "quiet", text: isOwn ? "This is their own thought." : "Nothing is noted for them." }),
    el("p", { class: "quiet small", text: trigger ? `On “${words(trigger)}” they would think:` : "The content has no trigger for what follows a line." }),
    trigger === null ? null
      : thought ? el("div", {},
          el("p", { class: "said", dir: "auto", text: thought.text }),
          el("p", { class: "quiet small", text: `${thought.line_id}, one of ${plural(eligible, "thought")}` }))
        : el("p", { class: "unmet", text: "nothing: no thought passes" }));
}
