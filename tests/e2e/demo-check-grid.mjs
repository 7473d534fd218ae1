// The grid world: an agent that explores a native environment in signed envelopes, and what becomes of whatever is tampered
// with. Each chapter starts from a fresh page with a fresh key.
import { gridPage } from "./demo-grid-page.mjs";

const HELD = { request: ["payload digest", "request digest", "agent's signature"], response: ["answers this request", "payload digest", "response digest", "environment's signature"] };
const all = (names) => names.map((name) => [name, true]);
const broken = (checks) => checks.filter(([, holds]) => !holds).map(([name]) => name);

async function explores(demo, report) {
  report.equal("the page begins in a world", await demo.lines(), ["#1 environment.reset grid:reset 7/7"]);
  await demo.press("Step");
  const { sent, received, request, response } = await demo.exchange();
  report.equal("a step is a signed request", [sent.operation, sent.protocol, request], ["environment.act", "agentplat-interop/1", all(HELD.request)]);
  report.equal("and a signed response to it", [received.status, received.requestDigest, response], ["completed", sent.requestDigest, all(HELD.response)]);
  report.holds("by an agent whose id is its key", /^key:[A-Za-z0-9_-]{43}$/.test(sent.issuerId), sent.issuerId);
  report.equal("it sees five cells by five", [received.payload.view.length, received.payload.view[2][2]], [5, "@"]);
  await demo.shot("grid-1-first-step");
  await demo.run();
  const steps = await demo.tick();
  report.equal("it finds the key and the way out", await demo.thought(), `Out of the maze after ${steps} steps.`);
  const lines = await demo.lines();
  report.equal("it took the key before the exit", lines.map((line) => line.split(" ")[2]).filter((code) => code !== "grid:moved"), ["grid:reset", "grid:key-taken", "grid:exit-reached"]);
  report.equal("every envelope is whole", [lines.every((line) => line.endsWith(" 7/7")), await demo.verified()], [true, `${2 * (steps + 1)} verified`]);
  await demo.shot("grid-2-out");
  await demo.begin(7, 13);
  await demo.run();
  report.equal("the same seed is the same walk", await demo.tick(), steps);
  await demo.begin(2026, 17);
  await demo.run();
  report.holds("and another world is another", (await demo.thought()).startsWith("Out of the maze after "), await demo.thought());
  await demo.shot("grid-3-larger");
}

async function goesBack(demo, report) {
  for (let step = 0; step < 4; step++) await demo.press("Step");
  await demo.press("Observe");
  report.equal("a look says what happened since the last one", [await demo.thought(), (await demo.exchange()).sent.payload], ["Since tick 0: moved, moved, moved, moved.", { cursor: "0" }]);
  const [place, tally] = [await demo.place(), await demo.tally()];
  await demo.press("Snapshot");
  const { received: kept } = await demo.exchange();
  report.equal("a snapshot is the seed and the steps", [kept.payload.format, kept.payload.seed, kept.payload.actions.length], ["grid-snapshot/1", 7, 4]);
  await demo.run();
  await demo.press("Restore");
  report.equal("restored, the agent is where it was and knows what it knew", [await demo.place(), await demo.tally()], [place, tally]);
  await demo.press("Close");
  report.equal("the session ends", (await demo.exchange()).received.payload, { closed: true });
  await demo.press("Restore");
  report.equal("and what was kept can be restored in another", [await demo.place(), (await demo.exchange(1)).received.reasonCode], [place, "grid:restored"]);
  report.equal("where the agent looks around first", (await demo.exchange()).received.reasonCode, "grid:observed");
  await demo.run();
  report.holds("from where it goes on", (await demo.thought()).startsWith("Out of the maze after "), await demo.thought());
}

async function refusesChanges(demo, report) {
  await demo.press("Step");
  const place = await demo.place();
  await demo.tamper("Turn the move around on its way");
  let shown = await demo.exchange();
  report.equal("a changed request fits no digest: the environment refuses it", [shown.words, broken(shown.request)], ["The environment refused it: status 400REQUEST_DIGEST · interop request digest is invalid", ["payload digest", "request digest"]]);
  await demo.shot("grid-4-tampered");
  await demo.tamper("Turn it around and make new digests");
  shown = await demo.exchange();
  report.equal("new digests have no signature", [shown.words, broken(shown.request)], ["The environment refused it: status 401REQUEST_SIGNATURE · interop request signature is invalid", ["agent's signature"]]);
  report.equal("and the agent stands where it stood", await demo.place(), place);
  await demo.tamper("Change the answer on its way back");
  shown = await demo.exchange(1);
  report.equal("a changed answer fits no digest: the client refuses it", [shown.words, broken(shown.response)], ["The client refused the answerRESPONSE_PAYLOAD_DIGEST · interop response payload digest is invalid", ["payload digest", "response digest"]]);
  const again = await demo.exchange();
  report.equal("asked again, the environment gives the answer it has", [again.sent.requestDigest, again.received.status, broken(again.response)], [shown.sent.requestDigest, "completed", []]);
  report.equal("and one step was taken", await demo.tick(), 2);
  await demo.tamper("Change it and make new digests");
  shown = await demo.exchange(1);
  report.equal("nor does a new digest pass", [shown.words, broken(shown.response)], ["The client refused the answerRESPONSE_SIGNATURE · interop response signature is invalid", ["environment's signature"]]);
  await demo.tamper("Send the last step again");
  const [first, second] = [await demo.exchange(1), await demo.exchange()];
  report.equal("a retry gets the same answer and is no other step", [second.received, await demo.tick()], [first.received, 3]);
  await demo.tamper("Send another step under the last one's name");
  shown = await demo.exchange();
  report.equal("another step under the same name is a conflict", [shown.words, broken(shown.request)], ["The environment refused it: status 409IDEMPOTENCY_KEY_REUSED · interop response binding is invalid", []]);
  report.equal("the page has counted them", await demo.verified(), "13 verified, 4 tampered with");
  await demo.run();
  report.holds("and the walk goes on to its end", (await demo.thought()).startsWith("Out of the maze after "), await demo.thought());
}

async function keepsOthersOut(demo, report) {
  const endpoint = await demo.page.evaluate(async () => (await fetch("/grid/endpoint.json")).json());
  const ask = async (origin) => {
    const response = await fetch(new URL("manifest", endpoint.baseUrl), { headers: { origin } });
    return [response.status, response.headers.get("access-control-allow-origin")];
  };
  const own = new URL(demo.page.url()).origin;
  report.equal("pages of the demo may call the environment", await ask(own), [200, own]);
  report.equal("others may not", await ask("http://evil.example"), [403, null]);
}

async function looks(demo, report) {
  for (let step = 0; step < 3; step++) await demo.press("Step");
  await demo.tamper("Change the answer on its way back");
  for (const [name, width, colorScheme] of [["wide-dark", 1280, "dark"], ["narrow-light", 390, "light"], ["narrow-dark", 390, "dark"]]) {
    await demo.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await demo.page.setViewportSize({ width, height: 900 });
    const overflow = await demo.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    report.equal(`nothing is wider than the page (${name})`, overflow, 0);
    await demo.shot(`grid-5-${name}`);
  }
}

export const open = gridPage;

export const CHAPTERS = [
  ["An agent explores, fetches the key and leaves", explores],
  ["A state is kept and gone back to", goesBack],
  ["Nothing that was tampered with is taken", refusesChanges],
  ["The environment answers its own pages", keepsOthersOut],
  ["Wide and narrow, light and dark", looks],
];
