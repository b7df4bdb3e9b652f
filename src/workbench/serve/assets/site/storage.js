// The user's files in the browser's storage; pages, the worker and the service worker share them.
"use strict";
const database = () => new Promise((done, failed) => {
  const opening = indexedDB.open("casebook", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore("files");
  opening.onsuccess = () => done(opening.result);
  opening.onerror = () => failed(opening.error);
});
// Runs `work` on the stored files in one transaction: it returns the files to store, or nothing to leave them as they are.
const transaction = async (mode, work) => {
  const open = await database();
  try {
    return await new Promise((done, failed) => {
      const within = open.transaction("files", mode), store = within.objectStore("files"), asked = store.get("all");
      asked.onsuccess = () => {
        const files = work(asked.result ?? {});
        if (files) store.put(files, "all");
      };
      within.oncomplete = () => done(asked.result ?? {});
      within.onabort = within.onerror = () => failed(within.error);
    });
  } finally {
    open.close();
  }
};
const readFiles = async () => {
  try {
    return await transaction("readonly", () => undefined);
  } catch {
    return {}; // A browser that forbids storage still reads and counts.
  }
};
// Stores what differs between two sets of files; files that another tab has changed meanwhile keep that change.
const changeFiles = async (before, after) => {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]);
  await transaction("readwrite", (files) => {
    for (const path of changed) {
      if (path in after) files[path] = after[path];
      else delete files[path];
    }
    return files;
  });
};
