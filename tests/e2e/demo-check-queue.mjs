// The support queue, in both languages: what is published, by whom it is used, who decides, and how it ends. Each chapter
// starts from a fresh page.
import { WORDS as AGENT_WORDS } from "../../www/agent/words.js";
import { WORDS } from "../../www/queue/app/words.js";
import { queuePage } from "./demo-queue-page.mjs";
import { attack } from "./demo-synthetic.mjs";

const PUBLISHED = ["todo.overview", "todo.add", "todo.clear_completed"];
const ROW = "view:support-queue.row.setCompleted";
const CLEAR = "todo.clear_completed";

const described = (language) => async (demo, report) => {
  await demo.open(language);
  const { result } = await demo.answerTo("describe");
  report.equal("three actions are published", result.capabilities.map(({ id }) => id), PUBLISHED);
  report.equal("one of them needs a person", result.capabilities.map(({ confirmation }) => confirmation), ["never", "never", "required"]);
  report.equal("in the page's language", result.capabilities[1].description, WORDS[language].addAction);
  report.equal("two of three records are described", [result.context.records.map(({ id }) => id), result.context.total, result.context.truncated], [["task-1", "task-2"], 3, true]);
  const rows = await demo.rows();
  const refused = await demo.answerTo(ROW);
  report.equal("a row's own action is refused before it could run", [refused.ok, refused.error.code], [false, "CAPABILITY_NOT_EXPOSED"]);
  report.equal("and the task is as it was", await demo.rows(), rows);
  const added = await demo.addByConsole(WORDS[language].consoleExample);
  report.equal("a task is added", [added.ok, added.result.output], [true, { id: "task-4", text: WORDS[language].consoleExample, completed: false }]);
  report.equal("and the page shows it", await demo.page.locator('.task[data-id="task-4"] .task-text').textContent(), WORDS[language].consoleExample);
  const bad = await demo.addByConsole("   ");
  report.equal("a text of nothing is the action's failure, not the exchange's", [bad.ok, bad.result.error.code], [true, "INVALID_INPUT"]);
  await demo.shot(`queue-1-console-${language}`);
};

const decided = (language) => async (demo, report) => {
  await demo.open(language);
  const before = await demo.rows();
  const first = await demo.ask(CLEAR);
  const record = await demo.asked();
  report.equal("a person is asked in the page", [record.capabilityId, record.consumerKey.startsWith("other:console/")], ["view:support-queue.todo.clearCompleted", true]);
  report.equal("and the console can only wait", await demo.exchange(first).getAttribute("data-tone"), "waiting");
  await demo.shot(`queue-2-approval-${language}`);
  await demo.deny("Keep them");
  const denied = await demo.responseTo(first);
  report.equal("denied, the exchange succeeds and its action did not happen", [denied.ok, denied.result.error.code, denied.result.error.details], [true, "PERMISSION_DENIED", { reason: "denied", note: "Keep them" }]);
  report.equal("nothing was removed", await demo.rows(), before);
  report.equal("each row has its declarations", await demo.declaredRows(), ["task-1", "task-2", "task-3"]);
  const second = await demo.ask(CLEAR);
  await demo.asked();
  await demo.approve();
  report.equal("approved, it runs once", (await demo.responseTo(second)).result, { output: { removed: 1 } });
  report.equal("the row is gone", (await demo.rows()).map(({ id }) => id), ["task-1", "task-2"]);
  report.equal("and with it what it declared", await demo.declaredRows(), ["task-1", "task-2"]);
  await demo.page.locator('.declared [data-instance="task-3"]').waitFor({ state: "detached" });
  const nothing = await demo.answerTo(CLEAR);
  report.equal("with nothing to clear the page's own reason comes back", [nothing.result.error.code, nothing.result.error.details], ["CAPABILITY_NOT_AVAILABLE", { reason: WORDS[language].nothingToClear }]);
};

const external = (language) => async (demo, report) => {
  await demo.open(language);
  const words = AGENT_WORDS[language];
  const origin = await demo.frame.locator("body").evaluate(() => location.origin);
  report.holds("the agent is of another origin", origin !== new URL(demo.page.url()).origin, origin);
  await demo.agentDoes("describe");
  report.equal("it learns what it may do", await demo.agentSays("good"), words.described(PUBLISHED, 2, 3));
  await demo.agentDoes("add");
  await demo.agentLines("good").nth(1).waitFor();
  report.equal("it adds a task", await demo.agentSays("good"), words.added({ text: words.task }));
  report.equal("which the page has", (await demo.rows()).at(-1).text, words.task);
  await demo.agentDoes("clear");
  const record = await demo.asked();
  report.holds("what needs a person names its origin", record.consumerKey.startsWith(`other:${origin}/`), record.consumerKey);
  await demo.shot(`queue-3-agent-asks-${language}`);
  await demo.approve();
  await demo.agentLines("good").nth(2).waitFor();
  report.equal("approved by a real click, it hears what came of it", await demo.agentSays("good"), words.cleared({ removed: 1 }));
  const entry = demo.entry("live");
  report.equal("the page lists it by its proved origin", await entry.locator(".agent-origin").textContent(), origin);
  const text = await entry.textContent();
  report.holds("with what it calls itself, its scope, its end and its last call", [WORDS[language].saysItIs(words.name), ...PUBLISHED, WORDS[language].until, `${WORDS[language].lastCall}${CLEAR}`].every((part) => text.includes(part)), text);
  const records = await demo.page.locator(".records .record-what").allTextContents();
  report.equal("and the transport recorded who came and what was asked", records.reverse(), ["peer-connected", "request describe", "request invoke todo.add", `request invoke ${CLEAR}`]);
  await demo.agentDoes("clear");
  await demo.agentLines("warn").first().waitFor();
  report.equal("what is not available now comes with the page's reason", await demo.agentSays("warn"), words.refusedAction("CAPABILITY_NOT_AVAILABLE", WORDS[language].nothingToClear));
};

async function left(demo, report) {
  const before = await demo.rows();
  await demo.agentDoes("clear");
  await demo.asked();
  const { shadowRoot, tag } = await attack(demo.page, await demo.centreOf("approve"));
  report.equal("the buttons are out of a script's reach", [shadowRoot, tag], [null, "AGENT-APPROVALS"]);
  report.equal("and the request still waits", await demo.pending(), 1);
  await demo.agentDoes("stop");
  await demo.nothingPending();
  await demo.agentLines("warn").first().waitFor();
  report.equal("an agent that leaves before the decision takes the question with it", (await demo.agentSays("warn")).includes("CANCELLED"), true);
  report.equal("and nothing has run", await demo.rows(), before);
}

const revoked = (language) => async (demo, report) => {
  await demo.open(language);
  const before = await demo.rows();
  await demo.agentDoes("clear");
  await demo.asked();
  await demo.entry("live").getByRole("button").click();
  await demo.agentIs("ended");
  await demo.nothingPending();
  report.holds("revoking ends what waits", (await demo.agentLines("bad").allTextContents()).every((line) => line.includes("SESSION_REVOKED")));
  report.equal("and nothing has run", await demo.rows(), before);
  await demo.shot(`queue-4-revoked-${language}`);
  await demo.agentDoes("connect");
  await demo.agentIs("refused");
  report.holds("the agent cannot come back by itself", (await demo.agentSays("bad")).includes("SCOPE_DENIED"));
  await demo.entry("revoked").getByRole("button").click();
  await demo.agentDoes("connect");
  await demo.agentIs("connected");
  await demo.agentDoes("overview");
  report.equal("until a person allows it", await demo.agentSays("good"), AGENT_WORDS[language].counted({ open: 2, completed: 1 }));
};

async function ownSession(demo, report) {
  const waits = await demo.ask(CLEAR);
  await demo.asked();
  await demo.own("live").getByRole("button").click();
  const ended = await demo.responseTo(waits);
  report.equal("the console's session can be revoked too, with what waits in it", [ended.ok, ended.error.code], [false, "SESSION_REVOKED"]);
  report.equal("after that it is refused", (await demo.answerTo("todo.overview")).error.code, "SESSION_REVOKED");
  await demo.own("revoked").getByRole("button").click();
  report.equal("and served again when it is allowed", (await demo.answerTo("todo.overview")).result.output, { total: 3, open: 2, completed: 1 });
}

/** The English words that are texts of their own, and long enough to be told from ids. */
const sentences = (words) => Object.values(words).flat().filter((text) => typeof text === "string" && text.length > 4);

async function chinese(demo, report) {
  await demo.open("zh");
  await demo.ask(CLEAR);
  await demo.asked();
  const shown = [await demo.page.locator("body").innerText(), await demo.frame.locator("body").innerText()].join("\n");
  report.equal("no English is left on the page", [...sentences(WORDS.en), ...sentences(AGENT_WORDS.en)].filter((text) => shown.includes(text)), []);
  report.equal("nor where a person decides", [await demo.saidBy("eyebrow"), await demo.saidBy("approve"), await demo.saidBy("deny")], ["需要批准", "批准", "拒绝"]);
  report.equal("the document says its language", await demo.page.evaluate(() => document.documentElement.lang), "zh-Hans");
  report.holds("and so does the row of pages", (await demo.page.locator("nav.pages").textContent()).includes("支持队列"));
  await demo.deny();
  await demo.page.getByRole("link", { name: "English" }).click();
  await demo.page.getByRole("heading", { name: WORDS.en.title }).waitFor();
  report.equal("one click switches the language", await demo.page.evaluate(() => document.documentElement.lang), "en");
}

async function byHand(demo, report) {
  const { page } = demo;
  await page.getByRole("textbox", { name: WORDS.en.newTask }).fill("Order two routers");
  await page.keyboard.press("Enter");
  await page.locator('.task[data-id="task-4"]').waitFor();
  report.equal("a person adds a task", (await demo.rows()).at(-1), { id: "task-4", text: "Order two routers", completed: false });
  await page.getByRole("checkbox", { name: WORDS.en.completedMark("Order two routers") }).press("Space");
  await page.getByRole("button", { name: WORDS.en.clearByHand }).click();
  await page.locator('.task[data-id="task-4"]').waitFor({ state: "detached" });
  report.equal("and removes what is completed without being asked", (await demo.rows()).map(({ id }) => id), ["task-1", "task-2"]);
  const saw = demo.agentLines("plain").filter({ hasText: AGENT_WORDS.en.changed });
  await saw.first().waitFor();
  report.holds("the agent hears that what it may do has changed", (await saw.count()) > 0);
}

async function looks(demo, report) {
  const { page } = demo;
  for (const [name, language, size, scheme] of [
    ["wide", "en", [1280, 900], "light"], ["dark", "en", [1280, 900], "dark"], ["narrow", "zh", [390, 844], "light"], ["narrow-dark", "en", [390, 844], "dark"],
  ]) {
    await page.setViewportSize({ width: size[0], height: size[1] });
    await page.emulateMedia({ colorScheme: scheme });
    await demo.open(language);
    await demo.answerTo("describe");
    await demo.agentDoes("describe");
    await demo.agentSays("good");
    await demo.shot(`queue-5-${name}`);
    const widths = [await page.evaluate(() => document.documentElement.scrollWidth), await demo.frame.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth)];
    report.holds(`${scheme}, ${size.join(" × ")}: nothing runs over the side`, widths[0] <= size[0] && widths[1] <= 0, widths);
    await page.locator("iframe.agent-frame").scrollIntoViewIfNeeded();
    await demo.agentDoes("clear");
    await demo.asked();
    const { top, bottom } = await page.locator("agent-approvals").evaluate((element) => element.getBoundingClientRect().toJSON());
    report.holds("and whoever is asked sees the whole question, wherever they are", top >= 0 && bottom <= size[1], [top, bottom]);
    await demo.shot(`queue-6-asked-${name}`, { fullPage: false });
  }
}

export const open = queuePage;

export const CHAPTERS = [
  ["What is published, and no more", described("en")],
  ["Denied and approved, in the page", decided("en")],
  ["An agent of another origin", external("en")],
  ["Who leaves before the decision, and who clicks by script", left],
  ["Revoked", revoked("en")],
  ["The console's own session", ownSession],
  ["The queue by hand", byHand],
  ["已发布的内容，仅此而已", described("zh")],
  ["在页面中拒绝和批准", decided("zh")],
  ["来自其他源的智能体", external("zh")],
  ["撤销", revoked("zh")],
  ["Chinese all through", chinese],
  ["How it looks", looks],
];
