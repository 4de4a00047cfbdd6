// The funnel: how many lines each stage leaves. The shape is a picture; the words and counts beside
// it are text, so that it zooms, is read aloud, and its stops are buttons that filter the list.

import { el, number, plural, show, svg } from "./dom.js";

export const STAGES = {
  lines: ["All lines", "lines of this scene's pools"],
  character: ["Character", "belong to another character"],
  location: ["Place", "belong to another place"],
  trigger: ["Trigger", "wait for another trigger"],
  access: ["Access", "are for another access tier"],
  situation: ["Situation", "are for another situation"],
  trust: ["Trust", "need more trust"],
  prerequisites: ["Gates", "have a gate that is not met"],
  once: ["Once only", "were said once already"],
  cooldown: ["Cooldown", "have to wait"],
  class: ["Speaking class", "may not be said over what is being said"],
  repeat: ["Repetition", "were said just now"],
  score: ["Topic and mood", "fit topic and mood less well"],
  specificity: ["Most specific", "have fewer gates"],
  recency: ["Least recent", "were heard more recently"],
  bag: ["Bag", "had their turn already"],
};
// These are always shown; the others only when they stop something.
const LAYERS = ["lines", "trigger", "access", "situation", "trust", "score"];

export const stageName = (stage) => STAGES[stage]?.[0] ?? stage;
export const stageWords = (stage) => STAGES[stage]?.[1] ?? `are stopped at ${stage}`;

/** Draw `steps`, pairs of stage and lines left; `pressed` is the stage that the list is filtered by. */
export function drawFunnel(host, steps, pressed, onStage) {
  const kept = steps.map(([stage, left], at) => ({ stage, left, lost: at ? steps[at - 1][1] - left : 0 }))
    .filter((step) => step.lost > 0 || LAYERS.includes(step.stage));
  const had = host.contains(document.activeElement) ? document.activeElement.dataset.stage : undefined;
  show(host, shape(kept), el("ol", {}, kept.map((step, at) => row(step, at === kept.length - 1, pressed, onStage))));
  if (had) host.querySelector(`button[data-stage="${CSS.escape(had)}"]`)?.focus();
}

function row({ stage, left, lost }, isLast, pressed, onStage) {
  const stops = lost > 0
    ? el("button", {
        type: "button",
        data: { stage },
        title: `Show the ${number(lost)} that ${stageWords(stage)}`,
        "aria-pressed": pressed === stage,
        "aria-label": `${plural(lost, "line")} ${stageWords(stage)}; show them`,
        text: `${number(lost)} stopped`,
        on: { click: () => onStage(pressed === stage ? null : stage) },
      })
    : el("span", { class: "passed", text: stage === "lines" ? "" : "none stopped" });
  return el("li", { class: isLast ? "last" : null },
    el("span", { class: "stage", text: isLast && stage !== "lines" ? `${stageName(stage)}` : stageName(stage) }),
    el("span", { class: "left" }, el("span", { text: number(left), "aria-label": `${plural(left, "line")} left` })),
    el("span", { class: "stopped" }, stops));
}

/** Return the picture: one band a stage, as wide as what is left, narrowing to what the next leaves. */
function shape(steps) {
  const most = Math.max(1, steps[0]?.left ?? 1);
  const words = steps.map(({ stage, left }) => `${stageName(stage)} ${left}`).join(", ");
  const picture = svg("svg", {
    viewBox: `0 0 100 ${steps.length * 10}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `Funnel, lines left after each stage: ${words}`,
  });
  steps.forEach(({ left }, at) => {
    // A square root, so that 3 lines of 12,000 are still to be seen; nothing left is no band.
    const width = (count) => (count ? Math.max(1.5, 100 * Math.sqrt(count / most)) : 0);
    const wide = width(left);
    const next = at + 1 < steps.length ? width(steps[at + 1].left) : wide;
    const top = at * 10;
    const [left0, right0, left1, right1] = [50 - wide / 2, 50 + wide / 2, 50 - next / 2, 50 + next / 2].map((one) => one.toFixed(2));
    // Straight beside the count, then a soft step down to what the next stage leaves.
    const sides = `L${right0} ${top + 5} C${right0} ${top + 8} ${right1} ${top + 7} ${right1} ${top + 10} L${left1} ${top + 10} C${left1} ${top + 7} ${left0} ${top + 8} ${left0} ${top + 5} Z`;
    picture.append(svg("path", { class: at === steps.length - 1 ? "end" : "body", d: `M${left0} ${top} L${right0} ${top} ${sides}` }));
  });
  return picture;
}
