// Answers long requests beside the page, which can stop them by ending the worker.
"use strict";
importScripts("engine.js");
self.onmessage = async ({ data: { number, method, address, body } }) => {
  self.postMessage({ number, started: true });
  try {
    self.postMessage({ number, answer: await ask(method, address, body) });
  } catch (error) {
    self.postMessage({ number, error: error.message });
  }
};
