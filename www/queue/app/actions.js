// What the page declares: three actions under business names, and for each row one that only the page itself uses.

import { action, defineActions, defineAgentComponent, fromJsonSchema } from "./package.js";

export const APP = "support-queue";
export const ROW = `${APP}.row`;

const counted = { type: "integer", minimum: 0 };
const TASK = {
  type: "object",
  properties: { id: { type: "string" }, text: { type: "string" }, completed: { type: "boolean" } },
  required: ["id", "text", "completed"],
};

/** Declares the queue's actions, and keeps each row's own declarations for as long as the row is there. */
export function declareActions(registry, queue, words) {
  const declared = defineActions(registry, {
    app: APP,
    actions: {
      "todo.overview": {
        description: words.overviewAction,
        output: { type: "object", properties: { total: counted, open: counted, completed: counted }, required: ["total", "open", "completed"] },
        handler: () => queue.counts(),
      },
      "todo.add": {
        description: words.addAction,
        input: {
          type: "object",
          properties: { text: { type: "string", minLength: 1, maxLength: 120, pattern: "\\S" } },
          required: ["text"],
          additionalProperties: false,
        },
        output: TASK,
        handler: ({ text }) => queue.add(text),
      },
      "todo.clear_completed": {
        description: words.clearAction,
        output: { type: "object", properties: { removed: counted }, required: ["removed"] },
        available: () => (queue.counts().completed > 0 ? true : words.nothingToClear),
        confirm: "always",
        handler: () => queue.clearCompleted(),
      },
    },
  });
  const rows = new Map();
  const sync = () => {
    const tasks = queue.rows();
    for (const { id, text } of tasks) {
      if (!rows.has(id)) rows.set(id, registry.register(rowComponent(queue, words, id, text)));
    }
    for (const [id, handle] of rows) {
      if (tasks.some((task) => task.id === id)) continue;
      handle.unregister();
      rows.delete(id);
    }
    // Whether there is something to clear is asked at every call; who was told a list hears of a change from here.
    declared.invalidate();
  };
  queue.subscribe(sync);
  sync();
  return declared;
}

function rowComponent(queue, words, id, text) {
  return defineAgentComponent({
    type: ROW,
    instanceId: id,
    description: words.rowComponent(text),
    actions: {
      setCompleted: action({
        description: words.rowAction,
        input: fromJsonSchema({ type: "object", properties: { completed: { type: "boolean" } }, required: ["completed"], additionalProperties: false }),
        effect: "local-state",
        execute: ({ completed }) => queue.setCompleted(id, completed),
      }),
    },
  });
}
