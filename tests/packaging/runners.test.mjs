// `/testing` and `/testing/matchers` in real Vitest and real Jest: one suite, written once, in a small project that uses
// the packed package. What must fail there is checked for its message.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { project } from "./project.mjs";

const execute = promisify(execFile);
const require = createRequire(import.meta.url);

/** `timers` is `vi` or `jest`. */
const SUITE = `
const words = process.env.WORDS ?? "A pad";
const make = (options) => {
  const surface = createTestSurface(options);
  surface.register(defineAgentComponent({
    type: "app.pad",
    description: words,
    observations: { read: observation({ description: "Reads it", output: fromJsonSchema({}), read: () => ["a"] }) },
    actions: {
      write: action({
        description: "Writes a text",
        input: fromJsonSchema({ type: "object", properties: { text: { type: "string" } }, required: ["text"] }),
        effect: "local-state",
        execute: ({ text }) => ({ text }),
      }),
      off: action({
        description: "Cannot run",
        input: fromJsonSchema({ type: "object" }),
        effect: "local-state",
        when: () => false,
        unavailableReason: "The pad is closed",
        execute: () => undefined,
      }),
      wipe: action({
        description: "Empties it",
        input: fromJsonSchema({ type: "object" }),
        effect: "local-state",
        confirmation: "required",
        execute: () => ({ wiped: true }),
      }),
      hang: action({
        description: "Never ends",
        input: fromJsonSchema({ type: "object" }),
        effect: "local-state",
        execute: () => new Promise(() => undefined),
      }),
    },
  }));
  return surface;
};
const write = (surface, text = "a") => surface.invoke("view:app.pad.write", { text });

beforeAll(async () => {
  expect.extend(matchers);
  await init();
});
afterEach(() => { timers.useRealTimers(); });

test("holds", async () => {
  expect.assertions(13);
  const surface = make();
  expect(surface).toExpose("view:app.pad.write");
  expect(surface.registry).toExpose("view:app.pad.read");
  expect(surface.snapshot()).not.toExpose("view:app.pad.none");
  expect(surface).toExposeUnavailable("view:app.pad.off");
  expect(surface).toExposeUnavailable("view:app.pad.off", expect.stringContaining("closed"));
  expect(surface).not.toExposeUnavailable("view:app.pad.write");
  expect(await write(surface)).toBeOk();
  const refused = await write(surface, 1);
  expect(refused).not.toBeOk();
  expect(refused).toFailWith("INVALID_INPUT");
  expect(refused).toFailWith("INVALID_INPUT", { issues: [expect.objectContaining({ pointer: "/text" })] });
  expect(refused).not.toFailWith("TIMEOUT");
  await expect(surface.invoke("view:app.pad.wipe")).resolves.toFailWith("CONFIRMATION_REQUIRED", { effect: "local-state" });
  expect(await surface.observe("view:app.pad.read")).toEqual(["a"]);
});

test("matches", () => {
  expect.assertions(2);
  expect(make()).toMatchSurfaceSnapshot();
  expect(make()).toMatchSurfaceSnapshot("named");
});

for (const when of ["before", "after"]) {
  test("fake timers installed " + when + " the surface was made", async () => {
    if (when === "before") timers.useFakeTimers();
    const surface = make();
    if (when === "after") timers.useFakeTimers();
    const hanging = surface.invoke("view:app.pad.hang");
    await timers.advanceTimersByTimeAsync(9_999);
    expect(surface.events.at(-1).type).not.toBe("invocation-settled");
    await timers.advanceTimersByTimeAsync(1);
    expect(await hanging).toFailWith("TIMEOUT", { timeoutMs: 10_000 });

    const now = Date.now();
    const asked = await surface.invoke("view:app.pad.wipe");
    await timers.advanceTimersByTimeAsync(120_000);
    expect(surface.confirmations.pending()).toHaveLength(1);
    await timers.advanceTimersByTimeAsync(1);
    expect(surface.confirmations.pending()).toEqual([]);
    const { confirmationId } = asked.error.details;
    expect(await surface.invoke("view:app.pad.wipe", {}, { confirmationId })).toFailWith("CONFIRMATION_INVALID", { reason: "expired" });

    await surface.invoke("view:app.pad.wipe");
    expect(surface.confirmations.expire()).toBe(true);
    expect(surface.confirmations.pending()).toEqual([]);
    expect(Date.now()).toBe(now + 120_001);

    const again = await surface.invoke("view:app.pad.wipe");
    expect(surface.confirmations.approve()).toBe(true);
    expect(await surface.invoke("view:app.pad.wipe", {}, again.error.details)).toBeOk();
    surface.dispose();
  });
}

const failing = {
  "absent": () => expect(make()).toExpose("view:app.pad.none"),
  "exposed": () => expect(make()).not.toExpose("view:app.pad.write"),
  "unavailable": () => expect(make()).toExpose("view:app.pad.off"),
  "not unavailable": () => expect(make()).not.toExpose("view:app.pad.off"),
  "available": () => expect(make()).toExposeUnavailable("view:app.pad.write"),
  "another reason": () => expect(make()).toExposeUnavailable("view:app.pad.off", "no paper"),
  "not the reason": () => expect(make()).not.toExposeUnavailable("view:app.pad.off"),
  "refused": async () => expect(await write(make(), 1)).toBeOk(),
  "ok": async () => expect(await write(make())).not.toBeOk(),
  "no failure": async () => expect(await write(make())).toFailWith("INVALID_INPUT"),
  "other details": async () => expect(await write(make(), 1)).toFailWith("INVALID_INPUT", { issues: [] }),
  "that failure": async () => expect(await write(make(), 1)).not.toFailWith("INVALID_INPUT"),
  "a promise": () => expect(write(make())).toBeOk(),
  "no surface": () => expect({}).toExpose("view:app.pad.write"),
  "not the snapshot": () => expect(make()).not.toMatchSurfaceSnapshot(),
};
for (const [name, fail] of Object.entries(failing)) test("fails: " + name, fail);
`;

const MESSAGES = {
  absent: /expected `view:app\.pad\.none` to be exposed, but it is not there\. There is: view:app\.pad\.read, view:app\.pad\.write/,
  exposed: /expected `view:app\.pad\.write` not to be exposed, but it is exposed and available/,
  unavailable: /`view:app\.pad\.off` to be exposed, but it is listed as unavailable: "The pad is closed" \(`toExposeUnavailable`/,
  "not unavailable": /`view:app\.pad\.off` not to be exposed, but it is listed as unavailable/,
  available: /`view:app\.pad\.write` to be listed as unavailable, but it is exposed and available/,
  "another reason": /to be listed as unavailable because of "no paper", but it is listed as unavailable: "The pad is closed"/,
  "not the reason": /`view:app\.pad\.off` not to be listed as unavailable, but it is listed as unavailable/,
  refused: /the call of `view:app\.pad\.write` to be ok, but it is refused: \{\s+"code": "INVALID_INPUT"/,
  ok: /the call of `view:app\.pad\.write` not to be ok, but it is ok, with the output \{\s+"text": "a"/,
  "no failure": /to fail with `INVALID_INPUT`, but it is ok, with the output/,
  "other details": /to fail with `INVALID_INPUT` and details with \{\s+"issues": \[\]\s+\}, but it is refused: [^]*"pointer": "\/text"/,
  "that failure": /not to fail with `INVALID_INPUT`, but it is refused/,
  "a promise": /expected the result of a call: `await` the call first/,
  "no surface": /expected a test surface, a registry or a snapshot/,
  "not the snapshot": /not/,
};

const FROM_PACKAGE = {
  "agent-surface-wasm": "init, action, defineAgentComponent, fromJsonSchema, observation",
  "agent-surface-wasm/testing": "createTestSurface",
  "agent-surface-wasm/testing/matchers": "matchers",
};
const imports = Object.entries(FROM_PACKAGE).map(([from, names]) => `import { ${names} } from "${from}";`);
const requires = Object.entries(FROM_PACKAGE).map(([from, names]) => `const { ${names} } = require("${from}");`);

const RUNNERS = {
  vitest: {
    bin: ["vitest.mjs", "run", "--reporter=default", "--reporter=json", "--outputFile.json=report.json"],
    files: {
      "pad.test.mjs": `import { afterEach, beforeAll, expect, test, vi as timers } from "vitest";\n${imports.join("\n")}${SUITE}`,
    },
    stored: "__snapshots__/pad.test.mjs.snap",
  },
  jest: {
    bin: ["bin/jest.js", "--json", "--outputFile=report.json", "--ci=false"],
    files: {
      "package.json": JSON.stringify({ name: "app", private: true, jest: { testMatch: ["**/*.test.cjs"], transform: {} } }),
      "pad.test.cjs": `${requires.join("\n")}\nconst timers = jest;${SUITE}`,
      // What the global `expect` has, the one of a module has, too.
      "modular.test.cjs": `const { expect, test } = require("@jest/globals");
        const { init } = require("agent-surface-wasm");
        const { createTestSurface } = require("agent-surface-wasm/testing");
        const { matchers } = require("agent-surface-wasm/testing/matchers");
        expect.extend(matchers);
        test("modular", async () => { await init(); expect(createTestSurface()).not.toExpose("view:app.pad.write"); });`,
    },
    stored: "__snapshots__/pad.test.cjs.snap",
  },
};

for (const [name, { bin, files, stored }] of Object.entries(RUNNERS)) {
  let app;
  before(async () => {
    app = await project(files, { link: [name] });
  });
  after(() => app.remove());

  /** What each test of the suite said, nothing where it passed; and under "printed" what the runner did. */
  const run = async (env = {}) => {
    const folder = dirname(require.resolve(`${name}/package.json`));
    const command = [join(folder, bin[0]), ...bin.slice(1)];
    // A run with failing tests ends with 1.
    const options = { cwd: app.folder, env: { ...process.env, CI: "", ...env } };
    const { stdout, stderr } = await execute(process.execPath, command, options).catch((failed) => failed);
    const { testResults } = JSON.parse(await readFile(app.path("report.json"), "utf8"));
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const said = all.map(({ title, failureMessages }) => [title, failureMessages.join("\n")]);
    const plain = (text) => text.replace(/\u001b\[\d+m/g, "");
    return new Map([...said, ["printed", stdout + stderr]].map(([title, text]) => [title, plain(text)]));
  };

  test(`${name}: the matchers hold, fail with what was seen, and live with fake timers`, async () => {
    const said = await run();
    const names = ["holds", "matches", ...["before", "after"].map((when) => `fake timers installed ${when} the surface was made`)];
    for (const passing of names) assert.equal(said.get(passing), "", passing);
    for (const [failing, message] of Object.entries(MESSAGES)) assert.match(said.get(`fails: ${failing}`), message, failing);
    assert.equal(said.size, 1 + names.length + Object.keys(MESSAGES).length + (name === "jest" ? 1 : 0));
    if (name === "jest") assert.equal(said.get("modular"), "");
  });

  test(`${name}: a surface that changed does not match its snapshot`, async () => {
    const text = await readFile(app.path(stored), "utf8");
    assert.match(text, /"registrationId": "<reg#1>"/);
    assert.match(text, /matches.*named 1/);
    assert.doesNotMatch(text, /reg_|srf_|capturedAt/);
    const same = await run();
    assert.equal(same.get("matches"), "");
    const said = await run({ WORDS: "Another pad" });
    assert.match(said.get("matches"), /[Ss]napshot/);
    for (const change of [/- .*"description": "A pad"/, /\+ .*"description": "Another pad"/]) assert.match(said.get("printed"), change);
  });
}
