// Questions to the server. A question of one kind that is still open when the next of that kind is
// asked is dropped: only the latest state of the page is worth an answer.

const TOKEN = document.querySelector('meta[name="talebearer-token"]').content;
const open = new Map();

export class Refusal extends Error {
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** Ask `path` with a query; resolves to null when a newer question of the same kind took over. */
export async function ask(kind, path, query = "") {
  open.get(kind)?.abort();
  const controller = new AbortController();
  open.set(kind, controller);
  try {
    return await answer(await fetch(query ? `${path}?${query}` : path, { signal: controller.signal }));
  } catch (error) {
    if (error.name === "AbortError") return null;
    throw error;
  } finally {
    if (open.get(kind) === controller) open.delete(kind);
  }
}

/** Change something: save a scene, write a plan case. */
export async function change(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json", "x-talebearer-token": TOKEN },
    body: JSON.stringify(body),
  });
  return answer(response);
}

async function answer(response) {
  let value;
  try {
    value = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    value = { error: { message: `the server answered ${response.status}`, hint: "" } };
  }
  if (!response.ok) throw new Refusal(value.error.message, value.error.hint);
  return value;
}
