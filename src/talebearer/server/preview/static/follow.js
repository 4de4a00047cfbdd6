// News of the content. The channel is open only while the page is looked at: a browser allows few
// connections to one server, and a page that nobody sees needs none. What it missed it gets on
// coming back, since the first event always says how things stand.

export function follow({ changed, away }) {
  let source = null;
  let known = null;

  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource("/api/events");
    source.addEventListener("content", (event) => {
      if (event.data !== known || source.wasAway) changed(JSON.parse(event.data));
      known = event.data;
      source.wasAway = false;
    });
    source.addEventListener("error", () => {
      source.wasAway = true;
      away();
      // A refused channel is closed for good; a lost one is opened again by the browser itself.
      if (source.readyState === EventSource.CLOSED) {
        source = null;
        setTimeout(open, 2000);
      }
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      source?.close();
      source = null;
    } else open();
  });
  window.addEventListener("pagehide", () => {
    source?.close();
    source = null;
  });
  window.addEventListener("pageshow", open);
  open();
}
