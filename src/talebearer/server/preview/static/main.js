// The page: asks the server what the scene does whenever a control, the address or the content
// changes, and shows the answer. It decides nothing by itself.

import { ask } from "./api.js";
import { Browser } from "./browse.js";
import { byId, number, plural, visible, words } from "./dom.js";
import { follow } from "./follow.js";
import { drawFunnel } from "./funnel.js";
import { Keep } from "./keep.js";
import { Lines } from "./lines.js";
import { Lens } from "./lens.js";
import { Roll } from "./roll.js";
import { Controls, fromQuery, toQuery } from "./scene.js";
import { Findings, Source } from "./source.js";
import { Talk } from "./talk.js";

const state = { content: null, page: {}, asked: 0 };

const controls = new Controls((how, names) => {
  delete state.page.moves; // another scene begins its conversation anew
  // Another kind of scene may not have that stage, and other pools do not have that line.
  if (names.some((name) => ["character", "strategy"].includes(name))) delete state.page.stage;
  if (names.some((name) => ["location", "speaker", "character"].includes(name))) panels.lines.chosen = null;
  move(how);
});
const app = {
  get scene() { return controls.scene; },
  get page() { return state.page; },
  get content() { return state.content; },
  /** The line that is looked at in the list, as pool and id. */
  get looked() { return panels.lines.looked; },
  query: (more = {}) => toQuery(controls.scene, more),
  /** Change what the page shows of the scene, which is in the address, too. */
  turn(changes, how = "push") {
    Object.assign(state.page, changes);
    move(how, Object.keys(changes));
  },
  /** Go to another scene. */
  go(scene, page = {}) {
    controls.put(scene);
    panels.lines.chosen = null;
    state.page = { ...state.page, moves: undefined, stage: undefined, ...page };
    move("push");
  },
  /** Let the mind know a fact. */
  know: (id, how) => controls.facts.add(id, how),
  heard(line, speaker) {
    controls.add("heard", { line, ...(speaker ? { speaker } : {}), ...(controls.scene.tick ? { tick: controls.scene.tick } : {}) });
  },
  open: (file, line) => panels.source.open(file, line),
  fail,
};

const panels = {
  lines: new Lines(app),
  roll: new Roll(app),
  talk: new Talk(app),
  lens: new Lens(app),
  findings: new Findings(app),
  source: new Source(app),
};
const browser = new Browser(app);
const keep = new Keep(app);

// --- the address ---------------------------------------------------------------------------------

function move(how, changed) {
  const address = `?${toQuery(controls.scene, state.page)}`;
  if (address !== location.search) history[how === "push" ? "pushState" : "replaceState"](null, "", address);
  if (!changed || changed.some((name) => name !== "tab" && name !== "moves")) refresh();
  else showTab();
}

function read() {
  const [scene, page] = fromQuery(location.search.slice(1));
  const isNone = scene.speaker === undefined && scene.character === undefined;
  controls.put(isNone ? { ...scene, ...firstScene() } : scene);
  state.page = page;
  panels.lines.render();
}

function firstScene() {
  const { first } = state.content;
  return structuredClone(first.dialogue ?? first.monologue ?? {});
}

window.addEventListener("popstate", () => {
  read();
  refresh();
});

// --- questions -----------------------------------------------------------------------------------

/** Whether there is anything to ask: content that is in order, or was, and has a pool. */
const hasLines = () => Boolean(state.content?.is_there && state.content.pools.length);

/**
 * Ask what the scene does and show it; of content that was never in order, only findings are shown.
 * @param options.isSame whether the list stays scrolled as it is, since the scene is the one before
 */
async function refresh({ isSame = false } = {}) {
  if (!hasLines()) return showTab();
  const began = performance.now();
  const asked = (state.asked += 1);
  let answer;
  try {
    answer = await ask("scene", "/api/ask", `${app.query()}&${panels.lines.window(isSame)}`);
  } catch (error) {
    if (asked === state.asked) fail(error);
    return;
  }
  if (answer === null || asked !== state.asked) return;
  fail(null);
  headline(answer);
  drawFunnel(byId("funnel"), answer.funnel, state.page.stage, (stage) => app.turn({ stage: stage ?? undefined, show: undefined, tab: undefined }));
  panels.lines.take(answer, isSame);
  // What the browser test and the bench read: from the change to the changed page.
  performance.clearMeasures("scene");
  performance.measure("scene", { start: began, end: performance.now() });
  document.body.dataset.asked = asked;
  showTab();
}

function headline({ funnel, eligible }) {
  const { scene } = controls;
  const all = funnel[0][1];
  const who = state.content.speakers.find((one) => one.slug === scene.speaker)?.name ?? scene.speaker;
  byId("headline").textContent = visible(scene.character
    ? `The ${words(scene.character)} at ${words(scene.location)}: ${words(scene.trigger ?? "")}`
    : `${who} at ${words(scene.location)}`);
  const verb = scene.character ? "thought" : "said";
  const nothing = eligible === 0 ? " Nothing will be heard." : "";
  const counts = `${number(eligible)} of ${plural(all, "line")} can be ${verb}.${nothing}`;
  if (byId("counts").textContent !== counts) byId("counts").textContent = byId("short").textContent = counts;
}

/** Say what went wrong, or that nothing is wrong any more. What was shown before stays. */
function fail(error) {
  const box = byId("fault");
  box.hidden = error === null;
  box.textContent = error === null ? "" : `${error.message}${error.hint ? ` (${error.hint})` : ""}`;
}

// --- tabs ----------------------------------------------------------------------------------------

const TABS = Object.keys(panels);

function showTab() {
  const name = TABS.includes(state.page.tab) ? state.page.tab : "lines";
  for (const one of TABS) {
    const tab = byId(`tab-${one}`);
    tab.setAttribute("aria-selected", one === name);
    tab.tabIndex = one === name ? 0 : -1;
    byId(`panel-${one}`).hidden = one !== name;
  }
  panels[name].show();
}

const turnTo = (name) => app.turn({ tab: name === "lines" ? undefined : name });
for (const name of TABS) byId(`tab-${name}`).addEventListener("click", () => turnTo(name));
document.querySelector('[role="tablist"]').addEventListener("keydown", (event) => {
  const at = TABS.findIndex((name) => event.target.id === `tab-${name}`);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  const name = TABS[(to + TABS.length) % TABS.length];
  turnTo(name);
  byId(`tab-${name}`).focus();
});

// --- content -------------------------------------------------------------------------------------

/** Take the content as it is now. The scene, the scroll and the focus stay. */
async function takeContent() {
  const isFirst = !hasLines();
  // What the scene does now is asked at the same time: whoever saved a file waits for that.
  const [content] = await Promise.all([ask("content", "/api/content"), isFirst ? null : refresh({ isSame: true })]);
  if (content === null) return;
  state.content = content;
  showState(content);
  panels.findings.take(content);
  if (!content.is_there) {
    byId("headline").textContent = "Nothing to try yet";
    return;
  }
  controls.take(content);
  browser.take(content);
  panels.source.take(content);
  if (!hasLines()) {
    byId("headline").textContent = "There is no line yet";
    byId("counts").textContent = "Write a pool, or let talebearer new begin one, and save; the page follows.";
    return;
  }
  if (!isFirst) return showTab();
  keep.take();
  read();
  await refresh();
}

function showState(content) {
  const { errors, warnings, notes } = content.findings;
  const counts = `${plural(content.lines, "line")} in ${plural(content.pools.length, "pool")}; ${plural(errors, "error")}, ${plural(warnings, "warning")}, ${plural(notes, "note")}`;
  byId("live").dataset.state = content.is_current ? "good" : "broken";
  byId("live").textContent = content.is_current ? `following the files: ${counts}` : "the files have errors";
  const box = byId("broken");
  box.hidden = content.is_current;
  box.textContent = content.is_current ? ""
    : content.is_there
      ? `${plural(errors, "error")} in the files: this is the last content that was in order. The findings say what to correct; the page follows as soon as it is saved.`
      : `${plural(errors, "error")} in the files, so there is nothing to try yet. Run talebearer lint, correct what it lists and save; the page follows.`;
  byId("tab-findings").textContent = errors + warnings + notes ? `Findings (${number(errors + warnings + notes)})` : "Findings";
}

follow({
  changed: () => takeContent().catch(fail),
  away: () => {
    byId("live").dataset.state = "away";
    byId("live").textContent = "the previewer has ended or cannot be reached; trying again";
  },
});
