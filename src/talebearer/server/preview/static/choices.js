// Selects and rows of chips, filled once and chosen from; what the content has no more is still shown.

import { el, show, words } from "./dom.js";

/** Fill a select; entries are values or [value, label]. What was chosen stays chosen. */
export function options(select, entries, { none } = {}) {
  const pairs = entries.map((one) => (Array.isArray(one) ? one : [one, words(one)]));
  if (none !== undefined) pairs.unshift(["", none]);
  const key = JSON.stringify(pairs);
  if (select.filledWith === key) return;
  const before = select.value;
  show(select, pairs.map(([value, label]) => el("option", { value, text: label })));
  select.filledWith = key;
  if (pairs.some(([value]) => value === before)) select.value = before;
}

/** Choose `value`; one that is not offered is shown as what it is, so that nothing is hidden. */
export function choose(select, value) {
  select.querySelector("option[data-gone]")?.remove();
  if (value === undefined) return;
  if (![...select.options].some((one) => one.value === value)) {
    select.append(el("option", { value, text: `${value} (not in the content)`, data: { gone: "" } }));
  }
  select.value = value;
}

/** Fill a row of chips and check those that are chosen. */
export function checks(host, name, entries, chosen) {
  const all = [...entries, ...chosen.filter((one) => !entries.includes(one))];
  const key = JSON.stringify(all);
  if (host.filledWith !== key) {
    show(host, all.map((value) => el("label", { class: "chip" },
      el("input", { type: "checkbox", name, value }), el("span", { text: words(value) }))));
    host.filledWith = key;
  }
  for (const box of host.querySelectorAll("input")) box.checked = chosen.includes(box.value);
}

/** Return what is checked in a row of chips. */
export const checked = (host) => [...host.querySelectorAll("input:checked")].map((box) => box.value);

/** Return the whole number from 0 that a field says; undefined for an empty field or no such number. */
export function tickOf(input) {
  const value = input.valueAsNumber;
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Show new children; a control that has the focus is found again by its `data-at`. */
export function showKeepingFocus(host, children) {
  const at = host.contains(document.activeElement) ? document.activeElement.dataset.at : undefined;
  show(host, children);
  if (at) host.querySelector(`[data-at="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
}

/** Return a row of something that is given, with what changes it and what takes it away. */
export function givenRow(at, text, body, { change, remove, isChanging = false }) {
  const does = (verb, label, f) => el("button", {
    type: "button", class: "plain", "aria-label": `${label}: ${text}`, text: verb, data: { at: `${at} ${verb}` }, on: { click: f },
  });
  return el("li", { class: isChanging ? "changing" : null }, el("span", { class: "given-text", dir: "auto" }, body),
    el("span", { class: "given-does" }, change ? does("change", "Change", change) : null, does("take away", "Take away", remove)));
}
