// The engine of the static site: loads the WebAssembly and answers requests with the user's files.
"use strict";
const BASE = new URL("./", self.location.href).pathname;
importScripts("storage.js");

// A service worker's own requests don't pass through it, so without a network it looks into the cache itself.
const load = async (name) => (await self.caches?.match(BASE + name).catch(() => undefined)) ?? fetch(BASE + name);

// Files that the site itself carries, below the user's own.
const carried = load("files.json").then((answer) => (answer.ok ? answer.json() : {})).catch(() => ({}));

// An address of the page's that it revokes to end a count; asking for it is the only news that reaches a worker at work.
const isRevoked = (address) => {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  try {
    request.send();
    return false;
  } catch {
    return true;
  }
};

// The request at work, if somebody watches it: `report` takes how far it has come, `stop` and `leave` are addresses to be revoked.
const PAUSE = 50;
let watched, reported = 0;
const report = (place, length, share, count) => {
  if (!watched || performance.now() - reported < PAUSE) return 0;
  reported = performance.now();
  watched.report({ what: new TextDecoder().decode(new Uint8Array(instance.memory.buffer, place, length)), share, count });
  if (!watched.canStop || !isRevoked(watched.stop)) return 0;
  return isRevoked(watched.leave) ? 2 : 1;
};

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
  instance = (await WebAssembly.instantiate(await compiled, { page: { now: () => performance.now(), report } })).exports;
  known = undefined;
};

const call = (request) => {
  const bytes = new TextEncoder().encode(JSON.stringify(request)), place = instance.input(bytes.length);
  new Uint8Array(instance.memory.buffer, place, bytes.length).set(bytes);
  const length = instance.answer();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(instance.memory.buffer, instance.output(), length)));
};

const failure = (status, error) => ({ status, type: "application/json", text: JSON.stringify({ error, complaints: [] }) });
const answerNow = async (method, address, body, watch) => {
  if (watch?.isCancelled()) return failure(499, "nobody waits for this any more");
  if (!instance) await start();
  const own = await readFiles(), below = await carried, files = { ...below, ...own }, text = JSON.stringify(files);
  const request = { method, address, body };
  if (text !== known) request.files = files;
  known = undefined;
  let answer;
  try {
    watch?.begin();
    // An address that can't be asked for at all says nothing by failing.
    watched = watch && { ...watch, canStop: !isRevoked(watch.stop) };
    answer = call(request);
  } catch (error) {
    instance = undefined; // A trap leaves the instance in no known state.
    return failure(500, `the engine failed at this request (${error.message}); it was restarted`);
  } finally {
    watched = undefined;
  }
  known = text;
  if (answer.files) {
    known = undefined;
    const kept = Object.fromEntries(Object.entries(answer.files).filter(([path, file]) => below[path] !== file));
    try {
      await changeFiles(own, kept);
    } catch (error) {
      return failure(507, `the browser stores nothing for this site (${error?.message ?? "storage is full or forbidden"}); nothing was saved. Free some room or allow the site to store data, then save again`);
    }
  }
  return answer;
};

// One request at a time; a request that writes holds a lock against other tabs.
const WRITES = /^\/(api\/v2\/(@WRITES@)|edit\/[a-z]+)$/;
let last = Promise.resolve();
const ask = (method, address, body = "", watch) => {
  const work = () => answerNow(method.toLowerCase(), address, body, watch);
  const writes = method.toLowerCase() !== "get" && WRITES.test(address.split("?")[0]);
  const locked = async () => {
    if (!writes || !navigator.locks) return work();
    let begun = false;
    try {
      return await navigator.locks.request("casebook", () => ((begun = true), work()));
    } catch (error) {
      if (begun) throw error;
      return work(); // A browser that forbids storage forbids locks, too.
    }
  };
  const answer = last.then(locked, locked);
  last = answer.catch(() => {});
  return answer;
};
