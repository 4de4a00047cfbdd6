// The JavaScript Automerge as a peer: one JSON request a line on standard input, one answer a line.
//
// node automerge_peer.mjs <folder that holds @automerge/automerge>
//
// {op: "write", changes, actor, value} applies the changes to an empty document, edits it to the
// value as the store does (texts by difference, lists by position, objects by key) and answers
// with all changes. {op: "read", changes} only reads. Changes are base64.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/package.json`);
const A = require("@automerge/automerge");

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const sameKind = (a, b) =>
  (isObject(a) && isObject(b)) ||
  (Array.isArray(a) && Array.isArray(b)) ||
  (typeof a === "string" && typeof b === "string");

function put(doc, path, holder, key, wanted) {
  const current = holder[key];
  if (current === undefined || !sameKind(current, wanted)) {
    if (current !== wanted) holder[key] = wanted;
  } else if (typeof wanted === "string") {
    if (current !== wanted) A.updateText(doc, [...path, key], wanted);
  } else if (Array.isArray(wanted)) {
    const kept = Math.min(current.length, wanted.length);
    for (let i = 0; i < kept; i++) put(doc, [...path, key], current, i, wanted[i]);
    if (current.length > kept) current.splice(kept, current.length - kept);
    for (let i = kept; i < wanted.length; i++) current.push(wanted[i]);
  } else {
    for (const name of Object.keys(current).sort())
      if (!(name in wanted)) delete current[name];
    for (const name of Object.keys(wanted).sort())
      put(doc, [...path, key], current, name, wanted[name]);
  }
}

function answer(request) {
  const bytes = request.changes.map((text) => new Uint8Array(Buffer.from(text, "base64")));
  let doc = A.init(request.actor ? { actor: request.actor } : {});
  [doc] = A.applyChanges(doc, bytes);
  if (request.op === "write")
    doc = A.change(doc, { time: 0 }, (d) => put(d, [], d, "value", request.value));
  const changes = A.getAllChanges(doc).map((change) => {
    const decoded = A.decodeChange(change);
    return { bytes: Buffer.from(change).toString("base64"), hash: decoded.hash, deps: decoded.deps };
  });
  return { value: A.toJS(doc).value, heads: A.getHeads(doc).sort(), changes };
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply;
  try {
    reply = answer(JSON.parse(line));
  } catch (error) {
    reply = { error: String(error?.stack ?? error) };
  }
  // Some versions hold large integers as BigInt; those of the tests fit a number exactly.
  const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);
  process.stdout.write(JSON.stringify(reply, plain) + "\n");
}
