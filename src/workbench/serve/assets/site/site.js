// What a page of the static site does beside the workbench's own script: long requests go to a worker, links carry house rules, and a
// browser without service workers gets its pages in the page itself.
"use strict";
(() => {
  const BASE = new URL("./", document.currentScript.src).pathname;
  const served = Boolean(navigator.serviceWorker?.controller);
  const nativeFetch = window.fetch.bind(window);
  const WRITES = /^api\/v2\/(@WRITES@)$/;

  // The worker, the requests that it has not answered, and what nobody has asked for yet.
  let worker, preparing, number = 0;
  const open = new Map();
  // What is said to the user in the place of an answer.
  const said = (text) => Object.assign(new Error(text), { said: text });
  const close = (request) => {
    open.delete(request.message.number);
    clearTimeout(request.watchdog);
    for (const address of [request.message.stop, request.message.leave]) URL.revokeObjectURL(address);
  };
  // Ends the worker, whatever it does; the requests that wait behind it are asked anew.
  const restart = () => {
    worker?.terminate();
    worker = undefined;
    for (const waiting of open.values()) {
      clearTimeout(waiting.watchdog);
      waiting.progress = waiting.started = undefined;
      send(waiting);
    }
  };
  // The engine ends by itself after a minute; a worker that is silent for longer was killed.
  const LONGEST = 75_000;
  const begin = () => {
    worker = new Worker(BASE + "worker.js");
    worker.onmessage = ({ data }) => {
      const request = open.get(data.number);
      if (!request) return;
      if (data.progress) return void (request.progress = data.progress);
      if (data.started) {
        request.started = true;
        request.watchdog = setTimeout(() => {
          close(request);
          request.failed(said("The engine has stopped answering, so it was restarted. Nothing of yours is lost; ask once more."));
          restart();
        }, LONGEST);
        return;
      }
      close(request);
      data.error ? request.failed(said(`The engine can't be started: ${data.error.replace(/\.$/, "")}. Reload the page.`)) : request.done(data.answer);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      for (const request of [...open.values()]) {
        close(request);
        request.failed(said(`The engine can't be started (${event.message ?? "its file is missing"}). Nothing of yours is lost; reload the page.`));
      }
      worker = undefined;
    };
  };
  const send = (request) => {
    if (!worker) begin();
    worker.postMessage(request.message);
  };
  // Ends a request: asks the worker first, and ends the worker if that does not help within `patience` milliseconds.
  const end = (request, patience) => {
    const { number: own, stop } = request.message;
    URL.revokeObjectURL(stop);
    if (!request.started) worker?.postMessage({ number: own, cancel: true });
    else setTimeout(() => open.get(own) === request && (close(request), request.failed(new DOMException("stopped", "AbortError")), restart()), patience);
  };
  const abandon = (request) => {
    if (!open.has(request.message.number)) return;
    URL.revokeObjectURL(request.message.leave);
    end(request, 500);
    request.failed(new DOMException("stopped", "AbortError"));
    if (!request.started) close(request);
  };
  const askWorker = (method, address, body, signal) => new Promise((done, failed) => {
    const [stop, leave] = [0, 0].map(() => URL.createObjectURL(new Blob(["on"])));
    const request = { message: { number: ++number, method, address, body, stop, leave }, done, failed, name: new URLSearchParams(address.split("?")[1]).get("count") };
    if (signal?.aborted) return failed(new DOMException("stopped", "AbortError"));
    signal?.addEventListener("abort", () => abandon(request));
    open.set(request.message.number, request);
    send(request);
  });
  // What the workbench's server answers under `/api/v2/counts`: how far a count has come. A count that is stopped samples for a second.
  const count = (name, method) => {
    const request = [...open.values()].find((one) => one.name === name), { what = "", share = 0, count = 0 } = request?.progress ?? {};
    if (request && method === "DELETE") end(request, 4000);
    return Response.json({ running: Boolean(what), what, share, count });
  };
  const addressOf = (url) => "/" + url.pathname.slice(BASE.length) + url.search;
  const inSite = (url) => url.origin === location.origin && url.pathname.startsWith(BASE);
  window.fetch = async (input, init = {}) => {
    let url = new URL(input.url ?? input, location.href);
    // The workbench's script asks from the root.
    if (url.origin === location.origin && url.pathname.startsWith("/api/v2/") && BASE !== "/") url = new URL(BASE + url.pathname.slice(1) + url.search, url.origin);
    const method = (init.method ?? "GET").toUpperCase(), path = url.pathname.slice(BASE.length);
    if (inSite(url) && path.startsWith("api/v2/counts/")) return count(decodeURIComponent(path.slice(14)), method);
    const long = url.searchParams.has("part") || (method === "POST" && path.startsWith("api/v2/") && !WRITES.test(path));
    if (!inSite(url) || (served && !long)) return nativeFetch(url, init);
    preparing?.abort();
    const { status, type, text } = await askWorker(method, addressOf(url), init.body ?? "", init.signal);
    return new Response(text, { status, headers: { "content-type": type } });
  };

  // Texts in links: deflated with a checksum, in letters that an address may hold.
  const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
  const pack = async (text) => {
    const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate"));
    return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  };
  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(await through(bytes, new DecompressionStream("deflate")));
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
    } catch {
      throw new Error(DAMAGED);
    }
    if (typeof brought !== "object" || !Object.entries(brought ?? "").every(([path, text]) => isVariantFile(path) && typeof text === "string")) throw new Error(NEWER);
    const before = await readFiles(), after = { ...before };
    for (const name of new Set(Object.keys(brought).map(variantOf))) {
      const of = (files) => Object.entries(files).filter(([path]) => variantOf(path) === name);
      const mine = of(before), theirs = of(brought), same = mine.length === theirs.length && theirs.every(([path, text]) => before[path] === text);
      if (same) continue;
      if (mine.length && !confirm(`This link brings its own house rule "${name}", and yours of that name is another. Replace yours?`)) continue;
      for (const [path] of mine) delete after[path];
      Object.assign(after, Object.fromEntries(theirs));
    }
    await changeFiles(before, after).catch(() => {
      throw new Error("The browser stores nothing for this site, so the house rule of this link can't be put in force. Free some room or allow the site to store data, and open the link again.");
    });
  };
  const DAMAGED = "This link is damaged: its house rule can't be read. Ask for it again; it must be copied whole. Nothing was changed.";
  const NEWER = "This link is of a newer Casebook: it holds what this site does not know. Reload the site; if that does not help, ask its owner for the newer version. Nothing was changed.";
  // Opens what a link says: first its house rules, then its page.
  const openLink = async (hash) => {
    const [to, ...rest] = hash.slice(1).split("#");
    for (const part of rest) {
      if (part.startsWith("rules=")) await take(part.slice(6));
      else throw new Error(/^[a-z]\w*=/.test(part) ? NEWER : DAMAGED);
    }
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
    const turn = (address, keep) => show(address, keep).catch((error) => say(error.said ?? error.message));
    window.onpopstate = () => turn(addressOf(new URL(location.href)), true);
    document.addEventListener("click", (event) => {
      const target = event.target.closest?.("a[href]"), url = target && new URL(target.href, location.href);
      if (!url || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || target.download || !inSite(url) || url.protocol === "data:") return;
      if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
      event.preventDefault();
      turn(addressOf(url));
    });
    document.addEventListener("submit", (event) => {
      if (event.defaultPrevented || event.target.method !== "get") return;
      event.preventDefault();
      const url = new URL(event.target.action, location.href);
      url.search = new URLSearchParams(new FormData(event.target)).toString();
      turn(addressOf(url));
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
  // What another page of the site is sent as.
  globalThis.siteLink = (url) => location.origin + BASE + "#" + addressOf(url);
  // Every page of the site can be sent.
  const offerLink = () => {
    const button = document.querySelector("#copy-link");
    if (!button || button.onclick) return;
    button.onclick = async () => copyText(button, await link());
  };
  // The worker counts what the page shows as soon as it is there, so that the first change waits for its own count only.
  const prepare = () => {
    if (!served || worker || !document.querySelector("[data-part=odds]")) return;
    const address = addressOf(new URL(location.href));
    preparing = new AbortController();
    askWorker("GET", `${address}${address.includes("?") ? "&" : "?"}part=odds`, "", preparing.signal).catch(() => {});
  };
  addEventListener("load", () => setTimeout(prepare, 200));
  window.siteLink = link;
  addEventListener("DOMContentLoaded", start);
})();
