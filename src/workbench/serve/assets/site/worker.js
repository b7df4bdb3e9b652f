// Answers long requests beside the page: it says how far a count has come, and a count ends when the page revokes an address.
"use strict";
importScripts("engine.js");
const cancelled = new Set();
self.onmessage = async ({ data: { number, cancel, method, address, body, stop, leave } }) => {
  if (cancel) return void cancelled.add(number);
  const watch = {
    stop, leave,
    isCancelled: () => cancelled.delete(number),
    begin: () => self.postMessage({ number, started: true }),
    report: (progress) => self.postMessage({ number, progress }),
  };
  try {
    self.postMessage({ number, answer: await ask(method, address, body, watch) });
  } catch (error) {
    self.postMessage({ number, error: error.message });
  }
};
