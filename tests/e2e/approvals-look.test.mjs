// `<agent-approvals>`, what it shows: exactly the request, to every eye and ear.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, centre, click, focused, guardOver, open, page, textOf, useBrowser } from "./approvals-page.mjs";

useBrowser();

test("a request says who asks, for what, with which input and until when", async () => {
  await ask({ effect: "destructive", summary: "Rename dev-007 to Lobby camera", consumer: { id: "browser", kind: "webmcp" }, callerGone: true });
  assert.equal(await textOf("heading"), "Rename a device");
  assert.equal(await textOf("summary"), "Rename dev-007 to Lobby camera");
  assert.equal(await textOf("badge"), "Destructive");
  assert.match(await textOf("warning"), /undo/);
  assert.match(await textOf("facts"), /browser · browser agent\s+Action\s+domain:devices\.rename\s+On\s+main/);
  assert.match(await textOf("gone"), /no longer waits/);
  assert.match(await textOf("input"), /id\s+dev-007\s+name\s+Lobby camera/);
  assert.match(await textOf("timer"), /^Expires in (2:00|1:59)$/);
  assert.equal(await textOf("queue"), "");
  // A mark is for what cannot be seen, and an empty one has no text that the lines above would find.
  assert.equal(await page.evaluate(() => inside().querySelectorAll("mark, .break").length), 0);
});

test("without the hook's description the record alone is shown", async () => {
  await page.evaluate(async () => {
    const plain = fakeRegistry();
    delete plain[Symbol.for("agent-surface-wasm.approver")];
    plain.ask({ summary: "Rename it", consumerKey: "other:a:b" });
    element.registry = plain;
    await painted();
  });
  assert.equal(await textOf("heading"), "Rename it");
  assert.match(await textOf("facts"), /a:b · other agent/);
});

test("what an agent wrote is text, with nothing hidden in it", async () => {
  const input = {
    subject: "Invoice \u202Egnp.exe", name: "a\u200B\u200Bb\u0007", "k\u2066ey": "<img src=x onerror=alert(1)>", tag: "x\u{E0041}y",
    lines: "one\ntwo", spaces: "a\u00A0b  c", stack: "e\u0301\u0301\u0301\u0301", emoji: "👩‍💻 ❤️ 日本\u3000語", one: 1, text: "1",
  };
  await ask({ input, summary: "To \u202Eevil", consumer: { id: "bot\u200D", kind: "other" } });
  const shown = await page.evaluate(() => [...part("input").querySelectorAll("dd")].map((dd) => dd.textContent));
  assert.deepEqual(shown, [
    "Invoice U+202Egnp.exe", "aU+200B U+200BbU+0007", "<img src=x onerror=alert(1)>", "xU+E0041y",
    "one↵\ntwo", "aU+00A0b  c", "e\u0301\u0301\u0301U+0301", "👩‍💻 ❤️ 日本\u3000語", "1", "1",
  ]);
  assert.match(await textOf("input"), /kU\+2066ey/);
  assert.equal(await textOf("summary"), "To U+202Eevil");
  assert.equal(await textOf("consumer"), "botU+200D");
  assert.match(await textOf("invisible"), /cannot be seen/);
  assert.equal(await page.evaluate(() => inside().querySelectorAll("img").length), 0);
  const quoted = await page.evaluate(() => [...part("input").querySelectorAll("dd")].slice(-2).map((dd) => getComputedStyle(dd.firstChild, "::before").content));
  assert.deepEqual(quoted, ["none", '"\\""'], "a text is told from a number");
});

test("plain input carries no warning", async () => {
  await ask({ input: { text: "two\nlines", emoji: "❤️" } });
  assert.equal(await textOf("invisible"), null);
});

test("a long text is folded and opens whole", async () => {
  const body = `${"word ".repeat(200)}\u200Bend`;
  await ask({ input: { body, lines: "\n".repeat(40) } });
  assert.match(await textOf("input"), /1,004 characters/);
  assert.match(await textOf("invisible"), /cannot be seen/, "also for what is still folded");
  await guardOver();
  await click("summary");
  await page.waitForFunction(() => inside().querySelector("details[open] > bdi"));
  assert.equal(await page.evaluate(() => inside().querySelector("details > bdi").textContent), body.replace("\u200B", "U+200B"));
  assert.equal(await page.evaluate(() => inside().querySelectorAll("details").length), 2, "a tall text is folded too");
});

test("a big input costs little to show and can be read to its end", async () => {
  await ask({ input: { rows: Array.from({ length: 250 }, (_, id) => ({ id })) } });
  assert.ok((await page.evaluate(() => part("input").querySelectorAll("*").length)) < 20);
  await guardOver();
  await click("summary");
  await page.waitForFunction(() => part("input").querySelectorAll("li").length === 100);
  for (const count of [200, 250]) {
    await page.evaluate(() => part("input").querySelector("button").focus());
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => part("input").querySelectorAll("li").length), count);
  }
  assert.equal(await focused(), "input");
  assert.equal(await page.evaluate(() => part("input").querySelectorAll("button").length), 0);
});

test("a key or a text full of what cannot be seen costs little to show, and can be read to its end", async () => {
  await ask({ input: { ["k\u200B".repeat(2500)]: 1 } });
  assert.ok((await page.evaluate(() => part("input").querySelectorAll("mark").length)) <= 60);
  await guardOver();
  await click("summary");
  const marks = (count) =>
    page.waitForFunction((all) => part("input").querySelectorAll("details > bdi > mark").length === all, count);
  await marks(1000);
  for (const [count, left] of [[2000, "3,000"], [2500, "1,000"]]) {
    const more = await page.evaluate(() => {
      const button = part("input").querySelector("details button");
      button.focus();
      return button.textContent;
    });
    assert.equal(more, `Show ${left} more`);
    await page.keyboard.press("Enter");
    await marks(count);
  }
  assert.equal(await focused(), "input");
  const whole = await page.evaluate(() => part("input").querySelector("details > bdi").textContent);
  assert.equal(whole, "kU+200B".repeat(2500));
});

test("deep input is folded level by level", async () => {
  let input = {};
  for (let depth = 0; depth < 60; depth++) input = { down: input };
  await ask({ input });
  assert.ok((await page.evaluate(() => part("input").querySelectorAll("*").length)) < 40);
});

test("every string can be replaced, by a text or a function, and is text", async () => {
  await ask({ input: { list: Array.from({ length: 20 }, () => 1) } }, {});
  await page.evaluate(() => {
    element.strings = {
      approve: "<b>Ja</b>", heading: ({ consumer }) => `${consumer.id} fragt`, queue: ({ position, total }) => `${position}/${total}`,
      items: (_, count) => `${count} Stück`,
    };
  });
  assert.equal(await textOf("approve"), "<b>Ja</b>");
  assert.equal(await textOf("heading"), "copilot fragt");
  assert.equal(await textOf("queue"), "1/2");
  assert.match(await textOf("input"), /20 Stück/);
  assert.equal(await textOf("deny"), "Deny");
});

test("a screen reader finds a named and described alert dialog, and named controls", async () => {
  await ask({ effect: "external-side-effect", summary: "To ada@example.com" });
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const of = (role) => nodes.filter((node) => node.role?.value === role && !node.ignored);
  const [dialog] = of("alertdialog");
  assert.equal(dialog.name.value, "Rename a device");
  assert.match(dialog.description.value, /External effect.*To ada@example\.com.*copilot/s);
  const names = of("button").map((node) => node.name.value);
  assert.deepEqual(names.filter((name) => name !== "After"), ["Deny", "Approve"]);
  assert.ok(of("textbox").some((node) => node.name.value === "Reason (optional)"));
  assert.ok(of("group").some((node) => node.name.value === "Input"));
  assert.equal(of("timer").length, 1);
  assert.equal(of("heading")[0].name.value, "Rename a device");
});

for (const theme of ["light", "dark"]) {
  test(`in ${theme} every text has a contrast of 4.5 or more`, async () => {
    for (const effect of ["server-mutation", "external-side-effect", "destructive"]) {
      await open();
      await page.evaluate((name) => element.setAttribute("theme", name), theme);
      const input = { a: "x\u200By", b: [1, "two\nlines"], c: {}, d: "long ".repeat(90) };
      await ask({ effect, input, callerGone: true, ttl: 9_000, description: "long ".repeat(30) }, {});
      await guardOver();
      const low = await page.evaluate(() => {
        const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const rgb = (color) => {
          pixel.clearRect(0, 0, 1, 1);
          pixel.fillStyle = color;
          pixel.fillRect(0, 0, 1, 1);
          return [...pixel.getImageData(0, 0, 1, 1).data];
        };
        const light = (color) => {
          const [r, g, b] = rgb(color).map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const dialog = inside().querySelector("dialog");
        const behind = (node) => {
          for (let at = node; at !== dialog; at = at.parentElement) {
            const { backgroundColor } = getComputedStyle(at);
            if (rgb(backgroundColor)[3] === 255) return backgroundColor;
          }
          return getComputedStyle(inside().querySelector("[part=reason]")).backgroundColor;
        };
        const out = [];
        const walker = document.createTreeWalker(dialog, NodeFilter.SHOW_TEXT);
        let texts = 0;
        while (walker.nextNode()) {
          const at = walker.currentNode.parentElement;
          if (!walker.currentNode.data.trim() || !at.checkVisibility()) continue;
          texts++;
          const [a, b] = [light(getComputedStyle(at).color), light(behind(at))].sort((one, two) => two - one);
          const ratio = (a + 0.05) / (b + 0.05);
          if (ratio < 4.5) out.push(`${walker.currentNode.data} ${ratio.toFixed(2)}`);
        }
        return texts > 20 ? out : [`only ${texts} texts`];
      });
      assert.deepEqual(low, [], effect);
    }
  });
}

test("the theme follows the system, and the attribute wins", async () => {
  const background = () => page.evaluate(() => getComputedStyle(inside().querySelector("[part=deny]")).backgroundColor);
  await open({ colorScheme: "dark" });
  await ask();
  assert.equal(await background(), "rgb(23, 25, 29)");
  await page.evaluate(() => element.setAttribute("theme", "light"));
  assert.equal(await background(), "rgb(255, 255, 255)");
});

test("custom properties and parts change the look", async () => {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("agent-approvals { --agent-approvals-accent: rgb(1, 2, 3) } agent-approvals::part(deny) { color: rgb(4, 5, 6) }");
    document.adoptedStyleSheets = [sheet];
  });
  await ask();
  const look = await page.evaluate(() => [getComputedStyle(part("approve")).backgroundColor, getComputedStyle(part("deny")).color]);
  assert.deepEqual(look, ["rgb(1, 2, 3)", "rgb(4, 5, 6)"]);
});

test("no motion for those who asked for none", async () => {
  await open({ reducedMotion: "reduce" });
  await ask();
  assert.equal(await page.evaluate(() => part("deny").getAnimations().length), 0);
});

test("the direction of the page is respected, and a narrow page holds it", async () => {
  await open({ viewport: { width: 360, height: 700 } });
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  await ask({ input: { unbroken: "x".repeat(230), ["key".repeat(30)]: 1 } });
  const [approve, deny] = [await centre("[part=approve]"), await centre("[part=deny]")];
  assert.ok(approve[0] < deny[0]);
  assert.ok(await page.evaluate(() => {
    const dialog = inside().querySelector("dialog");
    return dialog.scrollWidth <= dialog.clientWidth && dialog.getBoundingClientRect().left >= 0;
  }));
});
