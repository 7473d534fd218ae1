// The demo page as a person, an agent in the browser and a hostile script would use it.
import { approvalsOf } from "./demo-approvals.mjs";

export function demoPage({ page, devtools, url, folder, note }) {
  const composer = page.getByRole("textbox", { name: "Message to the copilot" });

  async function api(path, method = "GET", body) {
    const init = { method, headers: { "content-type": "application/json", origin: url } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(new URL(path, url), init);
    return response.json();
  }

  /** Fresh data, fresh page. */
  async function open() {
    await api("/api/reset", "POST", {});
    await page.goto(new URL("/", url).href);
    await page.evaluate(async () => {
      window.surface = await (await import("/app/main.js")).ready;
    });
    await page.locator("tr[data-id]").first().waitFor();
  }

  /** Says a sentence to the copilot. */
  async function say(text) {
    await composer.fill(text);
    await composer.press("Enter");
  }

  /** The copilot has answered. */
  const answered = () => composer.waitFor({ state: "visible" });

  return {
    page,
    api,
    open,
    say,
    answered,
    ...approvalsOf({ page, devtools }),
    shot: (name) => page.screenshot({ path: `${folder}/${name}.png` }),
    devices: async (query) => (await api(`/api/devices?${new URLSearchParams(query)}`)).devices,
    statusOf: async (ids) => (await api("/api/devices")).devices.filter(({ id }) => ids.includes(id)).map(({ status }) => status),
    /** The conversation as lines. */
    conversation: () => page.locator(".transcript > *").evaluateAll((items) => items.map((item) => {
      if (item.tagName !== "DETAILS") return `${item.className.replace("said said-", "")}: ${item.innerText}`;
      return `call: ${item.querySelector(".call-name").innerText} → ${item.querySelector(".call-state").innerText}`;
    })),
    pending: () => page.evaluate(() => window.surface.pending().length),
    audit: (type) => page.evaluate((wanted) => window.surface.auditEvents().filter((event) => event.type === wanted), type),
    snapshot: (consumer) => page.evaluate((name) => window.surface.snapshot(window.surface.consumers[name]), consumer),
    async invoke(request, consumer) {
      const result = await page.evaluate(([call, name]) => window.surface.invoke(call, { consumer: window.surface.consumers[name] }), [request, consumer]);
      const { capabilityId, input, ...tokens } = request;
      note(`${consumer} invokes ${capabilityId} ${JSON.stringify(tokens)} → ${outcome(result.status === "ok" ? undefined : result.error)}`);
      return result;
    },
    tools: () => page.evaluate(async () => (await document.modelContext.getTools()).map(({ name }) => name).sort()),
    /** Waits until the browser's agent sees a tool, or no longer does. */
    async toolComes(name, there = true) {
      await page.waitForFunction(async ([wanted, expected]) => (await document.modelContext.getTools()).some((tool) => tool.name === wanted) === expected, [name, there]);
    },
    /** Calls a tool as the browser's agent does. */
    async execute(name, input) {
      const result = await page.evaluate(async ([wanted, value]) => {
        const tool = (await document.modelContext.getTools()).find((candidate) => candidate.name === wanted);
        if (!tool) throw new Error(`The browser has no tool ${wanted}.`);
        return JSON.parse(await document.modelContext.executeTool(tool, value));
      }, [name, input]);
      note(`executeTool(${name}, ${JSON.stringify(input)}) → ${outcome(result.isError ? payloadOf(result) : undefined)}`);
      return result;
    },
    payloadOf,
  };
}

/** The error of a call that came back over WebMCP. */
function payloadOf(result) {
  return result.structuredContent ?? JSON.parse(result.content[0].text);
}

function outcome(error) {
  return error === undefined ? "ok" : `${error.code} ${JSON.stringify(error.details ?? {})}`.slice(0, 200);
}
