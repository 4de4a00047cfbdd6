// A list of any length of which only what is in sight is in the page: rows of one height, moved
// about as the list is scrolled. One tab stop; arrows, Page Up and Down, Home and End move in it.

const ROWS_MAX = 120; // elements, whatever the height of the window; the promise is 200
const PAGE = 100; // rows asked for at a time
const PAGES_KEPT = 30;
const BEYOND = 6; // rows above and below what is in sight

export class WindowedList {
  /**
   * @param host the scrolling element
   * @param options.load (from, count) to a promise of rows, or of null when it was superseded;
   *   left out for a list that is always set whole
   * @param options.paint (element, row, index) fills one row's element
   * @param options.choose (row, index) is told of the row that the keyboard or the mouse is on
   */
  constructor(host, { load, paint, choose }) {
    this.host = host;
    this.load = load;
    this.paint = paint;
    this.choose = choose;
    this.total = 0;
    this.active = -1;
    this.isTold = true; // whether `choose` knows of the active row
    this.pages = new Map();
    this.wanted = new Set();
    this.rows = []; // elements
    this.inner = document.createElement("div");
    this.inner.className = "list-inner";
    this.inner.setAttribute("role", "presentation");
    host.replaceChildren(this.inner);
    host.addEventListener("scroll", () => this.later(), { passive: true });
    host.addEventListener("keydown", (event) => this.key(event));
    host.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.later()).observe(host);
  }

  /** Show a new list. `rows` are its first ones; `active` is a position to keep, or -1. */
  set(total, from, rows, { active = -1, keepScroll = false } = {}) {
    this.total = total;
    this.pages.clear();
    this.wanted.clear();
    this.isTold = true;
    this.edition = (this.edition ?? 0) + 1;
    this.put(from, rows);
    this.active = active < total ? active : -1;
    if (!this.height) this.measure();
    this.inner.style.height = `${total * this.height}px`;
    if (!keepScroll) this.host.scrollTop = 0;
    this.draw();
  }

  /** Scroll such that the row at `index` is where `offset` pixels below the top of the list are. */
  scrollTo(index, offset) {
    this.host.scrollTop = index * this.height - offset;
    this.draw();
  }

  put(from, rows) {
    for (let at = 0; at < rows.length; ) {
      const index = from + at;
      const page = Math.floor(index / PAGE);
      const kept = this.pages.get(page) ?? [];
      const until = Math.min(rows.length, at + PAGE - (index % PAGE));
      for (; at < until; at += 1) kept[(from + at) % PAGE] = rows[at];
      this.pages.set(page, kept);
    }
    // A list that was handed over whole has nowhere to ask for a page again.
    if (this.load) while (this.pages.size > PAGES_KEPT) this.pages.delete(this.pages.keys().next().value);
  }

  row(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  measure() {
    // The height is the style sheet's, so that it grows with the reader's text size.
    const probe = document.createElement("div");
    probe.className = "list-row";
    this.inner.append(probe);
    this.height = probe.getBoundingClientRect().height || 64;
    probe.remove();
    this.inner.style.height = `${this.total * this.height}px`;
  }

  later() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.measure();
      this.draw();
    });
  }

  draw() {
    if (!this.height) this.measure();
    const seen = Math.ceil((this.host.clientHeight || 600) / this.height);
    const count = Math.min(this.total, seen + 2 * BEYOND, ROWS_MAX);
    const top = Math.floor(this.host.scrollTop / this.height) - BEYOND;
    const first = Math.max(0, Math.min(top, this.total - count));
    while (this.rows.length < count) this.rows.push(this.inner.appendChild(this.empty()));
    while (this.rows.length > count) this.rows.pop().remove();
    const missing = new Set();
    // An element keeps the row that it shows while that row is in sight, so that nothing jumps.
    for (let index = first; index < first + count; index += 1) {
      const element = this.rows[index % count];
      const row = this.row(index);
      if (row === undefined) missing.add(Math.floor(index / PAGE));
      this.place(element, row, index);
    }
    this.host.setAttribute("aria-activedescendant", this.active >= first && this.active < first + count ? this.id(this.active) : "");
    for (const page of missing) this.fetch(page);
  }

  id(index) {
    return `${this.host.id}-${index}`;
  }

  empty() {
    const element = document.createElement("div");
    element.className = "list-row";
    element.setAttribute("role", "option");
    return element;
  }

  place(element, row, index) {
    element.style.transform = `translateY(${index * this.height}px)`;
    element.id = this.id(index);
    element.dataset.index = index;
    element.setAttribute("aria-posinset", index + 1);
    element.setAttribute("aria-setsize", this.total);
    element.setAttribute("aria-selected", index === this.active);
    if (element.shown === row && element.edition === this.edition) return;
    element.shown = row;
    element.edition = this.edition;
    if (row !== undefined) return this.paint(element, row, index);
    element.replaceChildren("…");
    element.setAttribute("aria-label", "not read yet");
  }

  async fetch(page) {
    if (!this.load || this.wanted.has(page)) return;
    this.wanted.add(page);
    const edition = this.edition;
    const rows = await this.load(page * PAGE, PAGE);
    if (edition !== this.edition) return;
    this.wanted.delete(page);
    if (rows === null) return;
    this.put(page * PAGE, rows);
    this.draw();
    this.tell();
  }

  click(event) {
    const element = event.target.closest(".list-row");
    if (element?.shown) this.activate(Number(element.dataset.index));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.total === 0) return;
    const jump = Math.max(1, Math.floor(this.host.clientHeight / this.height) - 1);
    const now = this.active;
    const to = {
      ArrowDown: now + 1,
      ArrowUp: Math.max(now, 1) - 1,
      PageDown: now + jump,
      PageUp: now - jump,
      Home: 0,
      End: this.total - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.activate(Math.max(0, Math.min(this.total - 1, to)));
  }

  activate(index) {
    this.active = index;
    const top = index * this.height;
    if (top < this.host.scrollTop) this.host.scrollTop = top;
    const under = top + this.height - this.host.clientHeight;
    if (under > this.host.scrollTop) this.host.scrollTop = under;
    this.draw();
    this.isTold = false;
    this.tell();
  }

  /** Tell of the active row as soon as it is there. */
  tell() {
    const row = this.row(this.active);
    if (this.isTold || row === undefined) return;
    this.isTold = true;
    this.choose(row, this.active);
  }
}
