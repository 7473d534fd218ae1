// `<agent-approvals>` as a person meets it, in any page that gives `window.surface.pending()`.

/** Longer than the time in which the element, new or in a new place, ignores a click that was meant for something else. */
const GUARD_MS = 450;

export function approvalsOf({ page, devtools }) {
  /** A request is shown, and has been long enough to be answered. Resolves to its record. */
  async function asked() {
    const handle = await page.waitForFunction(() => window.surface.pending()[0]);
    const record = await handle.jsonValue();
    await guardOver();
    return record;
  }

  async function guardOver() {
    await page.evaluate(() => {
      window.seenSince = performance.now();
    });
    await page.waitForFunction((ms) => performance.now() - window.seenSince > ms, GUARD_MS);
  }

  /** A part that is shown. The shadow tree is closed to scripts; the devtools see it as a person does. */
  async function nodeOf(part) {
    const { nodes } = await devtools.send("DOM.getFlattenedDocument", { depth: -1, pierce: true });
    const node = nodes.find(({ attributes = [] }) => attributes.some((name, at) => at % 2 === 0 && name === "part" && attributes[at + 1] === part));
    if (!node) throw new Error(`The approval element shows no ${part}.`);
    return node;
  }

  /** Where a part is. */
  async function centreOf(part) {
    const { nodeId } = await nodeOf(part);
    await devtools.send("DOM.scrollIntoViewIfNeeded", { nodeId });
    const { model } = await devtools.send("DOM.getBoxModel", { nodeId });
    const [left, top, , , right, bottom] = model.border;
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  async function click(part) {
    const { x, y } = await centreOf(part);
    await guardOver();
    await page.mouse.click(x, y);
  }

  return {
    asked,
    centreOf,
    /** What a part says. */
    async saidBy(part) {
      const { nodeId } = await nodeOf(part);
      const { outerHTML } = await devtools.send("DOM.getOuterHTML", { nodeId });
      return outerHTML.replace(/<[^>]*>/g, "");
    },
    approve: () => click("approve"),
    async deny(reason) {
      if (reason) {
        await click("reason");
        await page.keyboard.type(reason);
      }
      await click("deny");
    },
  };
}
