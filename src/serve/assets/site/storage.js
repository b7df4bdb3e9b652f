// The user's files in the browser's storage; pages, the worker and the service worker share them.
"use strict";
const database = () => new Promise((done, failed) => {
  const opening = indexedDB.open("casebook", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("files");
  opening.onsuccess = () => done(opening.result);
  opening.onerror = () => failed(opening.error);
});
const transaction = async (mode, work) => {
  const open = await database();
  try {
    return await new Promise((done, failed) => {
      const within = open.transaction("files", mode), asked = work(within.objectStore("files"));
      within.oncomplete = () => done(asked.result);
      within.onabort = within.onerror = () => failed(within.error);
    });
  } finally {
    open.close();
  }
};
const readFiles = async () => {
  try {
    return (await transaction("readonly", (files) => files.get("all"))) ?? {};
  } catch {
    return {}; // A browser that forbids storage still reads and counts.
  }
};
const writeFiles = (files) => transaction("readwrite", (store) => store.put(files, "all"));
