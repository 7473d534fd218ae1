// The grid page as a person uses it: the controls, the board, the list of envelopes.

/** A walk has up to some hundred signed steps, on a machine that may have more to do. */
const WALK_MS = 90_000;

export function gridPage({ page, url, folder, note }) {
  const tally = page.locator("#tally");
  const newest = page.locator(".exchange").first();
  const button = (name) => page.getByRole("button", { name, exact: true });

  /** Nothing is under way: whatever can be pressed, can be. */
  const idle = (options) => button("Reset").and(page.locator(":enabled")).waitFor(options);

  async function press(name) {
    await button(name).click();
    await idle();
  }

  const checksIn = (half) => half.locator(".checks li").evaluateAll((items) => items.map((item) => [item.children[1].textContent, item.classList.contains("holds")]));

  return {
    page,
    press,
    idle,
    /** A fresh page with a fresh key, in its first world. */
    async open() {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.goto(new URL("/grid/", url).href);
      await page.evaluate(async () => (await import("/grid/app/main.js")).ready);
      await idle();
    },
    /** Presses Run and waits until the agent has stopped by itself. */
    async run() {
      await button("Run").click();
      await idle({ timeout: WALK_MS });
    },
    async begin(seed, size) {
      await page.getByLabel("Seed").fill(String(seed));
      await page.getByLabel("Size").selectOption(String(size));
      await press("Reset");
    },
    async tamper(label) {
      await page.locator("#tampering").selectOption({ label });
      await press("Tamper");
    },
    tick: async () => Number(/tick (\d+)/.exec(await tally.textContent())[1]),
    tally: () => tally.textContent(),
    thought: () => page.locator("#thought").textContent(),
    verified: () => page.locator("#verified").textContent(),
    place: () => page.locator("#board").getAttribute("aria-label"),
    /** The exchanges as lines, the oldest first. */
    lines: async () => (await page.locator(".exchange summary").evaluateAll((all) => all.map((each) => [...each.children].map((child) => child.textContent).filter(Boolean).join(" ")))).reverse(),
    /** What of an exchange is shown: the newest, or the one before so many. */
    async exchange(before = 0) {
      const entry = before === 0 ? newest : page.locator(".exchange").nth(before);
      const halves = entry.locator(".envelope");
      const shown = {
        verdict: await entry.getAttribute("data-verdict"),
        words: await entry.locator(".verdict").textContent(),
        request: await checksIn(halves.first()),
        response: await checksIn(halves.last()),
        sent: JSON.parse(await halves.first().locator("pre").textContent()),
        received: JSON.parse(await halves.last().locator("pre").textContent()),
      };
      note(`${shown.sent.operation} → ${shown.words}`);
      return shown;
    },
    async shot(name) {
      await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    },
  };
}
