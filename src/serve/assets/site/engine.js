// The engine of the static site: loads the WebAssembly and answers requests with the user's files.
"use strict";
const BASE = new URL("./", self.location.href).pathname;
importScripts("storage.js");

// A service worker's own requests don't pass through it, so without a network it looks into the cache itself.
const load = async (name) => (await self.caches?.match(BASE + name)) ?? fetch(BASE + name);

// Files that the site itself carries, below the user's own.
const carried = load("files.json").then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({}));

let compiled, instance, known;
const compile = async () => {
  const answer = await load("engine.bin");
  if (!answer.ok) throw new Error(`the engine can't be loaded (${answer.status}); reload the page`);
  const packed = await answer.arrayBuffer(), bytes = new Uint8Array(packed);
  // A host may have unpacked it on its way.
  if (bytes[0] !== 0x1f) return WebAssembly.compile(packed);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(stream, { headers: { "content-type": "application/wasm" } }));
};
const start = async () => {
  compiled ??= compile();
  compiled.catch(() => (compiled = undefined));
  instance = (await WebAssembly.instantiate(await compiled, { page: { now: () => performance.now() } })).exports;
  known = undefined;
};

const call = (request) => {
  const bytes = new TextEncoder().encode(JSON.stringify(request)), place = instance.input(bytes.length);
  new Uint8Array(instance.memory.buffer, place, bytes.length).set(bytes);
  const length = instance.answer();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(instance.memory.buffer, instance.output(), length)));
};

const answerNow = async (method, address, body) => {
  if (!instance) await start();
  const own = await readFiles(), below = await carried, files = { ...below, ...own }, text = JSON.stringify(files);
  const request = { method, address, body };
  if (text !== known) request.files = files;
  known = undefined;
  let answer;
  try {
    answer = call(request);
  } catch (error) {
    instance = undefined; // A trap leaves the instance in no known state.
    const what = `the engine failed at this request (${error.message}); it was started anew`;
    return { status: 500, type: "application/json", text: JSON.stringify({ error: what, complaints: [] }) };
  }
  known = text;
  if (answer.files) {
    known = undefined;
    const kept = Object.fromEntries(Object.entries(answer.files).filter(([path, file]) => below[path] !== file));
    try {
      await writeFiles(kept);
    } catch (error) {
      const what = `the browser stores nothing for this site (${error?.message ?? "storage is full or forbidden"}); nothing was saved`;
      return { status: 507, type: "application/json", text: JSON.stringify({ error: what, complaints: [] }) };
    }
  }
  return answer;
};

// One request at a time; a request that may write holds a lock against other tabs.
let last = Promise.resolve();
const ask = (method, address, body = "") => {
  const work = () => answerNow(method.toLowerCase(), address, body);
  const locked = () => (method.toLowerCase() === "get" || !navigator.locks ? work() : navigator.locks.request("casebook", work));
  const answer = last.then(locked, locked);
  last = answer.catch(() => {});
  return answer;
};
