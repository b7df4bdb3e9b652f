// What a page of the static site does beside the workbench's own script: long requests go to a worker, links carry house rules, and a
// browser without service workers gets its pages in the page itself.
"use strict";
(() => {
  const BASE = new URL("./", document.currentScript.src).pathname;
  const served = Boolean(navigator.serviceWorker?.controller);
  const nativeFetch = window.fetch.bind(window);

  // The worker, the requests that it has not answered, and those among them that nobody waits for any more.
  let worker, number = 0;
  const open = new Map(), abandoned = new Set();
  const begin = () => {
    worker = new Worker(BASE + "worker.js");
    worker.onmessage = ({ data }) => {
      if (!data.started) abandoned.delete(data.number);
      const request = open.get(data.number);
      if (!request) return;
      if (data.started) return void (request.started = true);
      open.delete(data.number);
      data.error ? request.failed(new TypeError(data.error)) : request.done(data.answer);
    };
    worker.onerror = (event) => {
      for (const request of open.values()) request.failed(new TypeError(event.message ?? "the engine can't be started"));
      open.clear();
      abandoned.clear();
      worker = undefined;
    };
  };
  const send = (request) => {
    if (!worker) begin();
    worker.postMessage(request.message);
  };
  // A request that runs for long is ended with its worker; those that wait behind it are asked anew.
  const abandon = (request) => {
    if (!open.delete(request.message.number) || !request.started) return;
    abandoned.add(request.message.number);
    setTimeout(() => {
      if (!abandoned.has(request.message.number)) return;
      abandoned.clear();
      worker?.terminate();
      worker = undefined;
      for (const waiting of open.values()) send(waiting);
    }, 200);
  };
  const askWorker = (method, address, body, signal) => new Promise((done, failed) => {
    const request = { message: { number: ++number, method, address, body }, done, failed };
    const stopped = () => { abandon(request); failed(new DOMException("stopped", "AbortError")); };
    if (signal?.aborted) return stopped();
    signal?.addEventListener("abort", stopped);
    open.set(request.message.number, request);
    send(request);
  });
  const addressOf = (url) => "/" + url.pathname.slice(BASE.length) + url.search;
  const inSite = (url) => url.origin === location.origin && url.pathname.startsWith(BASE);
  window.fetch = async (input, init = {}) => {
    let url = new URL(input.url ?? input, location.href);
    // The workbench's script asks from the root.
    if (url.origin === location.origin && url.pathname.startsWith("/api/v1/") && BASE !== "/") url = new URL(BASE + url.pathname.slice(1) + url.search, url.origin);
    const method = (init.method ?? "GET").toUpperCase(), path = url.pathname.slice(BASE.length);
    const long = url.searchParams.has("part") || /^api\/v1\/(odds|compare|effect|examples|check|ruling|play|look)$/.test(path);
    if (!inSite(url) || (served && !long)) return nativeFetch(url, init);
    const { status, type, text } = await askWorker(method, addressOf(url), init.body ?? "", init.signal);
    return new Response(text, { status, headers: { "content-type": type } });
  };

  // Texts in links: deflated, in letters that an address may hold.
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const pack = async (text) => {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate-raw")));
  };
  const isVariantFile = (path) => /^variants\/[\w-][\w.-]*\/(variant\.yaml|(rules|tables|scenarios|tests)(\/[\w-][\w.-]*){1,3}\.(yaml|rhai))$/.test(path);
  const variantOf = (path) => path.split("/")[1];

  // A link to this page, with the house rules that are in force on it: an address that gives the same anywhere.
  const link = async () => {
    const query = new URLSearchParams(location.search), files = Object.entries(await readFiles());
    const named = [...query.getAll("with"), ...query.getAll("ruleset")].flatMap((list) => list.split(","));
    const carried = Object.fromEntries(files.filter(([path]) => named.includes(variantOf(path))));
    const rules = Object.keys(carried).length ? "#rules=" + (await pack(JSON.stringify(carried))) : "";
    return location.origin + BASE + "#" + addressOf(new URL(location.href)) + rules;
  };

  // Says something where the page has a place for it, else above the page.
  const say = (text) => {
    const place = document.querySelector("#site-state") ?? document.body.insertAdjacentElement("afterbegin", document.createElement("p"));
    place.id = "site-state";
    place.setAttribute("role", "alert");
    place.replaceChildren(text);
  };
  // Takes over the house rules of a link; what is there already is replaced only if the user agrees.
  const take = async (packed) => {
    let brought;
    try {
      brought = JSON.parse(await unpack(packed));
      if (!Object.entries(brought).every(([path, text]) => isVariantFile(path) && typeof text === "string")) throw new Error();
    } catch {
      throw new Error("This link is damaged, or of a newer Casebook: its house rule can't be read. Ask for it again; it must be copied whole.");
    }
    const own = await readFiles();
    for (const name of new Set(Object.keys(brought).map(variantOf))) {
      const of = (files) => Object.entries(files).filter(([path]) => variantOf(path) === name);
      const mine = of(own), theirs = of(brought), same = mine.length === theirs.length && theirs.every(([path, text]) => own[path] === text);
      if (same) continue;
      if (mine.length && !confirm(`This link brings its own house rule "${name}", and yours of that name is another. Replace yours?`)) continue;
      for (const [path] of mine) delete own[path];
      Object.assign(own, Object.fromEntries(theirs));
    }
    await writeFiles(own).catch(() => {
      throw new Error("The browser stores nothing for this site, so the house rule of this link can't be put in force. Allow it to store data, and open the link again.");
    });
  };
  // Opens what a link says: first its house rules, then its page.
  const openLink = async (hash) => {
    const [to, ...rest] = hash.slice(1).split("#");
    for (const part of rest) if (part.startsWith("rules=")) await take(part.slice(6));
    return to.startsWith("/") ? to : "/";
  };

  // Pages without a service worker: the page writes itself.
  const show = async (address, keep) => {
    const { text } = await askWorker("GET", address, "");
    if (!keep) history.pushState(null, "", BASE + address.slice(1));
    const moved = BASE === "/" ? text : text.replace(/ (href|src|action|data-[a-z]+)="\/(?!\/)/g, ` $1="${BASE}`);
    // All pages share one global scope, in which a script could declare its names only once: here each page gets a scope of its own.
    const scripts = [];
    document.open();
    const written = moved.replace(/<script src="([^"]*)"[^>]*><\/script>/g, (_, source) => (scripts.push(source), ""));
    document.write(written.replace(/(<img [^>]*?)src=/g, "$1data-drawn="));
    document.close();
    // Pictures are drawn by the engine, too, as they come into sight.
    const sight = new IntersectionObserver((entries) => entries.filter((one) => one.isIntersecting).forEach(async ({ target }) => {
      sight.unobserve(target);
      const answer = await window.fetch(target.dataset.drawn);
      if (answer.ok) target.src = URL.createObjectURL(await answer.blob());
    }));
    for (const picture of document.querySelectorAll("img[data-drawn]")) sight.observe(picture);
    listen();
    offerLink();
    const texts = await Promise.all(scripts.map(async (source) => (await nativeFetch(source)).text()));
    new Function(texts.join("\n"))();
  };
  const listen = () => {
    // A page that is written anew has no listeners any more.
    window.onpopstate = () => show(addressOf(new URL(location.href)), true);
    document.addEventListener("click", (event) => {
      const target = event.target.closest?.("a[href]"), url = target && new URL(target.href, location.href);
      if (!url || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || target.download || !inSite(url) || url.protocol === "data:") return;
      if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
      event.preventDefault();
      show(addressOf(url));
    });
    document.addEventListener("submit", (event) => {
      if (event.defaultPrevented || event.target.method !== "get") return;
      event.preventDefault();
      const url = new URL(event.target.action, location.href);
      url.search = new URLSearchParams(new FormData(event.target)).toString();
      show(addressOf(url));
    });
  };

  // Whether a service worker answers from now on; where none can be had, the page does without.
  const registered = async () => {
    try {
      const worker = navigator.serviceWorker;
      await worker.register(BASE + "sw.js", { scope: BASE });
      await worker.ready;
      if (!worker.controller) await new Promise((done) => worker.addEventListener("controllerchange", done, { once: true }));
      return true;
    } catch {
      return false;
    }
  };
  const start = async () => {
    const first = Boolean(document.querySelector("#site-state")), sent = location.hash.startsWith("#/");
    if (!first) offerLink();
    if (!first && !sent) return;
    try {
      const to = await openLink(sent ? location.hash : "#" + addressOf(new URL(location.href)).replace(/^\/index\.html/, "/"));
      if (served || (await registered())) {
        return location.replace(BASE + to.slice(1));
      }
      say("This browser has no service workers here (a private window, or no https), so the workbench runs in this page instead.");
      await show(to);
    } catch (error) {
      say(error.message);
    }
  };
  // A link that is pasted where the site is open already changes the fragment only.
  addEventListener("hashchange", () => location.hash.startsWith("#/") && start());
  // Every page of the site can be sent.
  const offerLink = () => {
    if (document.querySelector("#copy-link")) return;
    const button = document.createElement("button");
    button.type = "button";
    button.id = "copy-link";
    button.textContent = "Copy link";
    button.onclick = async () => {
      const text = await link();
      await navigator.clipboard.writeText(text).then(() => (button.textContent = "Copied"), () => prompt("The link to this page:", text));
      setTimeout(() => (button.textContent = "Copy link"), 2000);
    };
    document.querySelector("body > header nav, body > header, body")?.append(button);
  };
  window.siteLink = link;
  addEventListener("DOMContentLoaded", start);
})();
