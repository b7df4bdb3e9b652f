// The static site's server: pages are asked of the engine, files come from the cache. After the first visit no network is needed.
"use strict";
const VERSION = "@VERSION@";
importScripts("engine.js");
const FILES = ["index.html", "site.js", "storage.js", "engine.js", "worker.js", "engine.bin", "files.json"];

self.addEventListener("install", (event) => {
  const kept = async () => {
    await (await caches.open(VERSION)).addAll(FILES.map((name) => new Request(BASE + name, { cache: "reload" })));
    await self.skipWaiting();
  };
  event.waitUntil(kept());
});
self.addEventListener("activate", (event) => {
  const begin = async () => {
    for (const name of await caches.keys()) if (name.startsWith("casebook-") && name !== VERSION) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(begin());
});

const POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; base-uri 'none'; form-action 'self'";
const page = (text) => {
  const moved = BASE === "/" ? text : text.replace(/ (href|src|action|data-[a-z]+)="\/(?!\/)/g, ` $1="${BASE}`);
  return moved.replace("<head>", `<head><script src="${BASE}storage.js"></script><script src="${BASE}site.js"></script>`);
};
const answer = async (request, path) => {
  const body = request.method === "GET" || request.method === "HEAD" ? "" : await request.text();
  const { status, type, text } = await ask(request.method, path + new URL(request.url).search, body);
  const headers = { "content-type": type, "content-security-policy": POLICY, "x-content-type-options": "nosniff" };
  return new Response(type.startsWith("text/html") ? page(text) : text, { status, headers });
};
// What the engine loads is fetched from here, so it must not be asked of the engine.
const stored = async (request, name) => (await caches.match(BASE + name)) ?? fetch(request);
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin || !url.pathname.startsWith(BASE)) return;
  const name = url.pathname.slice(BASE.length);
  if (FILES.includes(name) || name === "sw.js") event.respondWith(name === "sw.js" ? fetch(event.request) : stored(event.request, name));
  else event.respondWith(answer(event.request, "/" + name));
});
