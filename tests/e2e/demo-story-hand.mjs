// The chapter without an agent: the console by mouse and keyboard.

export async function byHand(demo, report) {
  const { page } = demo;
  const rows = page.locator("tr[data-id]");
  const selected = () => page.locator('tr[data-id][aria-selected="true"]').count();
  const focused = () => page.evaluate(() => document.activeElement.dataset.id);

  await selecting();
  await drawer();
  await filtering();
  await disabling();

  async function selecting() {
    await rows.nth(1).locator(".checkbox").click();
    await rows.nth(4).locator(".checkbox").click({ modifiers: ["Shift"] });
    report.equal("a shift-click selects the range", await selected(), 4);
    await rows.nth(2).locator(".checkbox").click();
    report.equal("a click takes one out", await selected(), 3);
    await page.keyboard.press("Escape");
    report.equal("Escape clears the selection", await selected(), 0);
    await rows.nth(0).focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    report.equal("arrows, Space and Shift select by keyboard", [await selected(), await focused()], [3, await rows.nth(3).getAttribute("data-id")]);
    await page.keyboard.press("Control+a");
    report.equal("Ctrl+A takes the page", await selected(), 25);
    await page.getByRole("button", { name: "Next page" }).click();
    report.equal("the next page starts unselected, and nothing is lost", [await selected(), await page.locator(".bulk-count").innerText()], [0, "25 selected"]);
    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("button", { name: "Previous page" }).click();
  }

  async function drawer() {
    const id = await rows.nth(2).getAttribute("data-id");
    const taken = await rows.nth(0).locator(".device-name").innerText();
    await rows.nth(2).focus();
    await page.keyboard.press("Enter");
    const name = page.getByRole("textbox", { name: "Name", exact: true });
    await name.waitFor();
    report.equal("Enter opens the details and moves there", await page.evaluate(() => document.activeElement.id), "drawer-title");
    await name.fill(taken);
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    const problem = page.locator("#rename-error:not(:empty)");
    await problem.waitFor();
    report.holds("a name that is taken is refused by the server, at its field", /has th/.test(await problem.innerText()), await problem.innerText());
    await name.fill("Garden gate camera");
    await name.press("Enter");
    await page.locator(".toast", { hasText: "Garden gate camera" }).waitFor();
    report.equal("a free one is taken", (await demo.devices({ q: id }))[0].name, "Garden gate camera");
    await page.goBack();
    report.equal("Back closes the drawer", await page.locator(".drawer").isVisible(), false);
    await page.goForward();
    await name.press("Escape");
    report.equal("Escape too, and focus is on its row again", [await page.locator(".drawer").isVisible(), await focused()], [false, id]);
  }

  async function filtering() {
    await page.getByLabel("City", { exact: true }).selectOption("Kraków");
    await page.getByRole("button", { name: /^Offline/ }).click();
    await page.locator(".page-summary", { hasText: /^\d+ of 60/ }).waitFor();
    report.equal("filters show what the server has", await rows.count(), (await demo.devices({ city: "Kraków", status: "offline" })).length);
    await page.getByLabel("Search devices").fill("nothing like this");
    await page.getByText("No device matches").waitFor();
    await page.getByRole("button", { name: "Reset the filters" }).click();
    report.equal("and can be reset where nothing matches", await rows.count(), 25);
  }

  async function disabling() {
    const row = page.locator("tr[data-id]:has(.status-online)").first();
    const id = await row.getAttribute("data-id");
    await row.locator(".checkbox").click();
    await page.getByRole("button", { name: "Disable…" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    report.equal("a person is asked as well, and may cancel", await demo.statusOf([id]), ["online"]);
    await page.getByRole("button", { name: "Disable…" }).click();
    await page.getByRole("button", { name: "Disable 1 device" }).click();
    await page.locator(".toast", { hasText: "Disabled 1 device" }).waitFor();
    report.equal("or confirm", await demo.statusOf([id]), ["disabled"]);
    report.holds("what is disabled cannot be disabled again, and the bar says why", await page.getByRole("button", { name: "Disable…" }).isDisabled() && (await page.locator(".bulk-why").innerText()).includes("already disabled"));
  }
}
