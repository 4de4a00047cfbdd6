// What outlives the page: scenes saved by name, plan cases, and the address to share.

import { ask, change } from "./api.js";
import { byId, el, show } from "./dom.js";

export class Keep {
  constructor(app) {
    this.app = app;
    byId("save").addEventListener("click", () => this.save());
    byId("share").addEventListener("click", () => this.share());
    byId("plan").addEventListener("click", () => this.plan());
    byId("reset").addEventListener("click", () => app.go({ ...structuredClone(app.content.first.dialogue ?? app.content.first.monologue), given: {} }, { tab: undefined, find: undefined, show: undefined }));
  }

  async take() {
    try {
      this.list((await ask("saved", "/api/saved"))?.saved ?? []);
    } catch (error) {
      this.app.fail(error);
    }
  }

  list(saved) {
    show(byId("saved"), saved.map((one) => el("li", {},
      el("button", { type: "button", class: "plain", text: one.name, "aria-label": `Go to the scene ${one.name}`, on: { click: () => this.load(one.name) } }),
      el("button", { type: "button", class: "plain", "aria-label": `Forget the scene ${one.name}`, text: "forget", on: { click: () => this.forget(one.name) } }))));
  }

  async load(name) {
    try {
      const answer = await ask("scene by name", "/api/scene", new URLSearchParams({ name }));
      if (answer !== null) this.app.go({ given: {}, ...answer.setup });
    } catch (error) {
      byId("kept").textContent = `${error.message}${error.hint ? ` (${error.hint})` : ""}`;
    }
  }

  async save() {
    const name = slug(byId("scene-name").value);
    if (!name) return byId("scene-name").focus();
    await this.do("/api/save", { name, setup: this.app.scene }, (answer) => {
      this.list(answer.saved);
      byId("scene-name").value = "";
      return `Saved as “${name}”.`;
    });
  }

  forget(name) {
    return this.do("/api/forget", { name }, (answer) => {
      this.list(answer.saved);
      return `“${name}” is forgotten.`;
    });
  }

  /** One click: the scene, with what comes in it now as what is expected, into the pool's plan. */
  plan() {
    return this.do("/api/plan", { setup: this.app.scene, name: byId("scene-name").value.trim() }, (answer) =>
      [`Case “${answer.name}” is in ${answer.file}. `, el("a", {
        href: "#",
        text: "Look at it",
        on: { click: (event) => { event.preventDefault(); this.app.open(answer.file, answer.line); } },
      })]);
  }

  async share() {
    const address = location.href.split("#")[0];
    try {
      await navigator.clipboard.writeText(address);
      byId("kept").textContent = "The address is copied; it says the whole scene.";
    } catch {
      byId("kept").textContent = `Copy this address: ${address}`;
    }
  }

  async do(path, body, done) {
    try {
      show(byId("kept"), done(await change(path, body)));
    } catch (error) {
      show(byId("kept"), el("strong", { class: "unmet", text: `${error.message}${error.hint ? ` (${error.hint})` : ""}` }));
    }
  }
}

/** Turn what was typed into a name of a saved scene: "First Meeting" is "first-meeting". */
function slug(text) {
  return text.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 64);
}
