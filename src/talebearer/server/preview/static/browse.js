// The pools of the content, by place, role and character; choosing one goes to a scene of it.

import { ask } from "./api.js";
import { options } from "./choices.js";
import { byId, el, number, plural } from "./dom.js";
import { WindowedList } from "./list.js";

export class Browser {
  constructor(app) {
    this.app = app;
    this.found = [];
    this.list = new WindowedList(byId("browse-list"), {
      paint: paintPool,
      choose: (pool) => this.choose(pool),
    });
    for (const name of ["place", "role", "character"]) {
      byId(`browse-${name}`).addEventListener("change", () => this.filter());
    }
    byId("browse").addEventListener("toggle", () => this.list.later());
  }

  take(content) {
    const some = (name) => [...new Set(content.pools.map((pool) => pool[name]).filter(Boolean))].sort();
    options(byId("browse-place"), some("location"), { none: "any place" });
    options(byId("browse-role"), some("role"), { none: "any role" });
    options(byId("browse-character"), some("character"), { none: "any character" });
    this.filter(true);
  }

  filter(keepScroll = false) {
    const wanted = { location: byId("browse-place").value, role: byId("browse-role").value, character: byId("browse-character").value };
    this.found = this.app.content.pools.filter((pool) => Object.entries(wanted).every(([name, value]) => !value || pool[name] === value));
    const lines = this.found.reduce((sum, pool) => sum + pool.lines, 0);
    byId("browse-count").textContent = `${plural(this.found.length, "pool")}, ${plural(lines, "line")}`;
    this.list.set(this.found.length, 0, this.found, { keepScroll });
  }

  /** Go to a scene in which something of the pool is likely to come; what is known stays. */
  async choose({ path }) {
    const { tick, seed, given, mind } = this.app.scene;
    try {
      const answer = await ask("start", "/api/start", new URLSearchParams({ pool: path }));
      if (answer !== null) this.app.go({ ...answer.setup, tick, seed, given, ...(mind ? { mind } : {}) });
    } catch (error) {
      this.app.fail(error);
    }
  }
}

function paintPool(element, pool) {
  const name = pool.path.split("/").pop();
  const of = pool.kind === "dialogue" ? `says at ${pool.location}` : `${pool.character} thinks`;
  const faults = [[pool.errors, "error"], [pool.warnings, "warning"]].filter(([count]) => count);
  element.replaceChildren(
    el("span", { class: "odds quiet", text: number(pool.lines) }),
    el("span", {},
      el("span", { class: "row-text", text: name }),
      el("span", { class: "row-why", title: pool.path },
        ...faults.map(([count, noun]) => el("span", { class: `badge ${noun}`, text: plural(count, noun) })), of)));
  element.setAttribute("aria-label", `${name}, ${of}, ${plural(pool.lines, "line")}`);
}
