// The peer that measures. Rounds of the surface and rounds of the bare echo take turns, so that a noisy machine disturbs both.

import { SurfaceClient } from "/pkg/dist/surface-client.js";

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** `[send(text), can(text)]`: the answer of the port at the other end, and what it is to answer. */
const echoOver = (port) => {
  const waiting = new Map();
  let number = 0;
  port.onmessage = ({ data: [, answered, text] }) => {
    waiting.get(answered)(JSON.parse(text));
    waiting.delete(answered);
  };
  const send = (text) =>
    new Promise((resolve) => {
      waiting.set(++number, resolve);
      port.postMessage(["call", number, text]);
    });
  return [send, (text) => port.postMessage(["can", 0, text])];
};

const echoPort = new Promise((resolve) => {
  addEventListener("message", ({ data, ports }) => data === "echo" && resolve(ports[0]));
});

/** Microseconds of one of `count` calls, `width` under way at a time. */
const time = async (count, width, call) => {
  const begun = performance.now();
  for (let at = 0; at < count; at += width) await Promise.all(Array.from({ length: width }, call));
  return ((performance.now() - begun) * 1000) / count;
};

globalThis.measure = async (origin, rounds) => {
  const client = await SurfaceClient.connect({ origin });
  const [send, can] = echoOver(await echoPort);
  const rows = [
    { name: "invoke a no-op", count: 200, width: 1, call: () => client.invoke("noop") },
    { name: "invoke a no-op, 32 at a time", count: 640, width: 32, call: () => client.invoke("noop") },
    { name: "invoke with an input of ten ids", count: 200, width: 1, call: () => client.invoke("area-1.do_1", { ids: Array.from({ length: 10 }, (_, at) => `row-${at}`) }) },
    { name: "describe 50 capabilities", count: 50, width: 1, call: () => client.describe() },
    {
      name: "describe 50 capabilities after a change",
      count: 50,
      width: 1,
      call: () => (parent.postMessage("invalidate", origin), client.describe()),
    },
  ];
  const results = [];
  for (const { name, count, width, call } of rows) {
    const response = await call();
    if (!response.ok || response.result.error) throw new Error(JSON.stringify(response));
    const text = JSON.stringify(response);
    const body = name.includes("ids") ? { capability: "area-1.do_1", input: { ids: Array.from({ length: 10 }, (_, at) => `row-${at}`) } } : { capability: "noop" };
    const request = JSON.stringify({ protocol: response.protocol, id: response.id, ...(name.startsWith("describe") ? { method: "describe" } : { method: "invoke", ...body }) });
    can(text);
    const [surface, echo] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const pair = [await time(count, width, call), await time(count, width, () => send(request))];
      // The first round warms up.
      if (round > 0) [surface, echo].forEach((list, at) => list.push(pair[at]));
    }
    results.push({ name, sent: request.length, got: text.length, micros: median(surface), echo: median(echo) });
  }
  return results;
};
