// The support queue as a person uses it: the queue, its console, the list of agents, and the agent's frame.
import { approvalsOf } from "./demo-approvals.mjs";

export function queuePage({ page, devtools, url, folder, note }) {
  const frame = page.frameLocator("iframe.agent-frame");

  /** A fresh page, and in it an agent that has connected. */
  async function open(language = "en") {
    await page.goto(new URL(`/queue/?lang=${language}`, url).href);
    await page.evaluate(async () => {
      window.surface = await (await import("/queue/app/main.js")).ready;
    });
    await frame.locator('body[data-state="connected"]').waitFor();
  }

  /** Presses a button of the console; its exchange is the newest one. */
  async function ask(capability) {
    await page.locator(`.console-buttons [data-capability="${capability}"]`).click();
    return page.locator(".exchange").first().getAttribute("data-request");
  }

  const exchange = (id) => page.locator(`.exchange[data-request="${id}"]`);

  /** The response to a request of the console, when it is there. */
  async function responseTo(id) {
    const shown = page.locator(`.exchange[data-request="${id}"]:not([data-tone="waiting"]) .exchange-answer .json`);
    const response = JSON.parse(await shown.textContent());
    note(`${id} → ${JSON.stringify(response).slice(0, 180)}`);
    return response;
  }

  return {
    page,
    frame,
    open,
    ...approvalsOf({ page, devtools }),
    ask,
    exchange,
    responseTo,
    /** Presses a button of the console and waits for the response. */
    answerTo: async (capability) => responseTo(await ask(capability)),
    async addByConsole(text) {
      await page.locator(".console-form input").fill(text);
      await page.locator(".console-form button").click();
      return responseTo(await page.locator(".exchange").first().getAttribute("data-request"));
    },
    rows: () => page.evaluate(() => window.surface.rows()),
    pending: () => page.evaluate(() => window.surface.pending().length),
    nothingPending: () => page.waitForFunction(() => window.surface.pending().length === 0),
    /** The instances of rows that the registry knows. */
    declaredRows: () => page.evaluate(() => window.surface.snapshot().components.filter(({ type }) => type === "support-queue.row").map(({ instanceId }) => instanceId)),
    /** Presses a button of the agent. */
    agentDoes: (act) => frame.locator(`[data-act="${act}"]`).click(),
    agentIs: (state) => frame.locator(`body[data-state="${state}"]`).waitFor(),
    /** The agent's newest line of this kind. */
    async agentSays(tone) {
      const line = frame.locator(`.agent-line[data-tone="${tone}"]`).last();
      const text = await line.textContent();
      note(`agent: ${text}`);
      return text;
    },
    agentLines: (tone) => frame.locator(`.agent-line[data-tone="${tone}"]`),
    /** The entry of the connected agent in the page's list. */
    entry: (state) => page.locator(`.agent[data-state="${state}"]:not([data-origin="${new URL(url).origin}"])`),
    own: (state) => page.locator(`.agent[data-state="${state}"][data-origin="${new URL(url).origin}"]`),
    /** The whole page, or what a person has of it in the window. */
    shot: (name, { fullPage = true } = {}) => page.screenshot({ path: `${folder}/${name}.png`, fullPage }),
  };
}
