// `<agent-approvals>`, how it takes an answer: with real keys and a real mouse, and what it does not take for one.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  LIB, ask, centre, click, clock, faults, focused, guardOver, notes, page, pending, refused, resolved, textOf,
  useBrowser, withinGuard,
} from "./approvals-page.mjs";

useBrowser();

test("focus moves to Deny, and a stray Enter at once decides nothing", async () => {
  await withinGuard(async () => {
    await page.focus("#composer");
    const began = await clock();
    await ask();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    return began;
  });
  assert.equal(await focused(), "deny");
  assert.deepEqual(await resolved(), []);
  await guardOver();
  await page.keyboard.press("Enter");
  assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: false }]);
});

test("typing that runs on into the dialog decides nothing", async () => {
  const typed = "disable the offline devices ";
  await withinGuard(async () => {
    await page.focus("#composer");
    let last = await clock();
    let gap = 0;
    await ask();
    for (const key of `${typed}\n`) {
      await page.keyboard.press(key === "\n" ? "Enter" : key, { delay: 25 });
      const now = await clock();
      gap = Math.max(gap, now - last);
      last = now;
    }
    return last - gap;
  });
  assert.deepEqual(await resolved(), []);
  assert.ok(await pending());
});

test("a real click on Approve approves once, tells the page and gives focus back", async () => {
  await page.focus("#composer");
  await ask();
  await guardOver();
  await click("[part=approve]");
  assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: true }]);
  assert.deepEqual(await page.evaluate(() => events), [{ confirmationId: "cnf_1", approved: true }]);
  assert.equal(await page.evaluate(() => document.activeElement.id), "composer");
  assert.equal(await pending(), false);
  assert.equal(await notes(), "Approved.");
});

for (const key of ["Enter", "Space"]) {
  test(`Tab and ${key} approve`, async () => {
    await ask();
    await guardOver();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "approve");
    await page.keyboard.press(key);
    assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: true }]);
  });
}

test("the resolution happens inside the person's gesture", async () => {
  await page.evaluate(() => {
    const { resolve } = registry.confirmations;
    registry.confirmations.resolve = (...all) => {
      window.active = navigator.userActivation.isActive;
      resolve(...all);
    };
  });
  await ask();
  await guardOver();
  await click("[part=approve]");
  assert.equal(await page.evaluate(() => active), true);
});

test("a reason goes along, and Enter in its field decides nothing", async () => {
  await ask();
  await guardOver();
  await page.evaluate(() => part("reason").focus());
  await page.keyboard.insertText(`  not now${"x".repeat(600)}`);
  await page.keyboard.press("Enter");
  assert.deepEqual(await resolved(), []);
  await click("[part=deny]");
  const [{ reason, approved }] = await resolved();
  assert.equal(approved, false);
  assert.ok(reason.startsWith("not nowx") && reason.length <= 500, `${reason.length}`);
});

test("a click meant for one request does not hit the next", async () => {
  await withinGuard(async () => {
    await ask({}, {});
    await guardOver();
    const place = await centre("[part=approve]");
    const began = await clock();
    await page.mouse.dblclick(...place);
    await page.evaluate(() => painted());
    await page.mouse.click(...place);
    return began;
  });
  assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: true }]);
  await guardOver();
  await page.mouse.click(...(await centre("[part=approve]")));
  assert.equal((await resolved()).length, 2);
});

test("a press that began on one request does not end on the next", async () => {
  await ask({}, {});
  await guardOver();
  await page.mouse.move(...(await centre("[part=approve]")));
  await page.mouse.down();
  await page.evaluate(() => registry.withdraw("cnf_1"));
  await guardOver();
  await page.mouse.up();
  assert.deepEqual(await resolved(), []);
});

test("a press that began too early does not count when it ends", async () => {
  await withinGuard(async () => {
    const began = await clock();
    await ask();
    await page.mouse.move(...(await centre("[part=approve]")));
    await page.mouse.down();
    return began;
  });
  await guardOver();
  await page.mouse.up();
  assert.deepEqual(await resolved(), []);
  await click("[part=approve]");
  assert.equal((await resolved()).length, 1);
});

test("a key that is pressed meanwhile makes no late press of an early one", async () => {
  await withinGuard(async () => {
    const began = await clock();
    await ask();
    await page.mouse.move(...(await centre("[part=approve]")));
    await page.mouse.down();
    return began;
  });
  await guardOver();
  await page.keyboard.press("Shift");
  await page.mouse.up();
  assert.deepEqual(await resolved(), []);
  await click("[part=approve]");
  assert.equal((await resolved()).length, 1);
});

test("buttons that moved under a pointer that stands still are not pressed by it", async () => {
  await withinGuard(async () => {
    await ask();
    await guardOver();
    const [x, y] = await centre("[part=approve]");
    await page.mouse.move(x, y + 80);
    const began = await clock();
    await page.evaluate(() => {
      element.before(Object.assign(document.createElement("p"), { id: "late", style: "margin: 0; height: 80px" }));
    });
    assert.deepEqual(await centre("[part=approve]"), [x, y + 80]);
    await page.mouse.down();
    await page.mouse.up();
    return began;
  });
  assert.deepEqual(await resolved(), []);
  await guardOver();
  await click("[part=approve]");
  assert.equal((await resolved()).length, 1);
});

test("a key held down answers one request", async () => {
  await ask({}, {}, {});
  await guardOver();
  await page.keyboard.down("Enter");
  await guardOver();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  assert.deepEqual((await resolved()).map(({ id }) => id), ["cnf_1"]);
  await page.keyboard.down("Escape");
  await guardOver();
  await page.keyboard.down("Escape");
  assert.deepEqual((await resolved()).map(({ id }) => id), ["cnf_1", "cnf_2"]);
});

test("nothing can be answered out of view", async () => {
  await page.evaluate(() => (element.style.marginTop = "3000px"));
  await ask();
  await guardOver();
  await page.evaluate(() => scrollTo(0, 0));
  await guardOver();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  assert.deepEqual(await resolved(), []);
});

test("Escape denies the request shown, and only with focus inside", async () => {
  await ask({}, {});
  await guardOver();
  await page.focus("#composer");
  await page.keyboard.press("Escape");
  assert.deepEqual(await resolved(), []);
  await page.evaluate(() => part("reason").focus());
  await page.keyboard.press("Escape");
  assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: false }]);
  assert.ok(await pending());
});

test("Escape that ends a composition denies nothing", async () => {
  await ask();
  await guardOver();
  await page.evaluate(() => part("reason").focus());
  const session = await page.context().newCDPSession(page);
  await session.send("Input.imeSetComposition", { text: "に", selectionStart: 1, selectionEnd: 1 });
  await page.keyboard.press("Escape");
  assert.deepEqual(await resolved(), []);
});

test("Escape inside does not reach the page", async () => {
  await page.evaluate(() => addEventListener("keydown", () => (window.leaked = true)));
  await ask();
  await guardOver();
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => window.leaked), undefined);
});

test("synthetic events neither approve nor deny, and are reported", async () => {
  await ask();
  await guardOver();
  await page.evaluate(() => {
    const key = (name) => new KeyboardEvent("keydown", { key: name, bubbles: true, composed: true });
    element.click();
    element.dispatchEvent(key("Escape"));
    element.dispatchEvent(new SubmitEvent("submit"));
    element.dispatchEvent(key("a"));
    part("approve").click();
    part("deny").click();
    part("approve").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    part("approve").dispatchEvent(key("Enter"));
    part("deny").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
  });
  assert.deepEqual(await resolved(), []);
  const how = ["click", "keydown", "submit", "click", "click", "click", "keydown", "keydown"];
  assert.deepEqual(await refused(), how.map((type) => `cnf_1 ${type}`));
  assert.match(await notes(), /ignored/);
  await page.evaluate(() => {
    for (let count = 0; count < 1000; count++) element.click();
  });
  assert.equal((await refused()).length, 32, "a script cannot flood the audit trail");
  await click("[part=approve]");
  assert.equal((await resolved()).length, 1, "the person still can");
});

test("a synthetic event with nothing pending is nobody's business", async () => {
  await page.evaluate(() => element.click());
  assert.deepEqual(await refused(), []);
});

test("the shadow root is closed", async () => {
  assert.deepEqual(await page.evaluate(() => [element.shadowRoot, inside().asked]), [null, "closed"]);
});

test("requests queue in order of arrival", async () => {
  await ask({ title: "First" }, { title: "Second" }, { title: "Third" });
  assert.equal(await textOf("queue"), "1 of 3");
  for (const title of ["First", "Second", "Third"]) {
    assert.equal(await textOf("heading"), title);
    assert.equal(await focused(), "deny");
    await guardOver();
    await click("[part=deny]");
  }
  assert.deepEqual((await resolved()).map(({ id }) => id), ["cnf_1", "cnf_2", "cnf_3"]);
});

test("a newcomer changes the count alone: what the person typed and opened stays", async () => {
  await ask();
  await page.evaluate(() => part("reason").focus());
  await page.keyboard.insertText("because");
  await ask();
  assert.equal(await textOf("queue"), "1 of 2");
  assert.deepEqual(await page.evaluate(() => [focused(), part("reason").value]), ["reason", "because"]);
});

test("focus that has left is neither taken for the next request nor moved at the end", async () => {
  await ask({}, {});
  await page.focus("#after");
  await page.evaluate(() => registry.withdraw("cnf_1"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "after");
  assert.match(await notes(), /withdrawn/);
  await page.evaluate(() => registry.withdraw("cnf_2"));
  assert.equal(await page.evaluate(() => document.activeElement.id), "after");
});

test("an expired request vanishes with a note, and cannot be answered before that", async () => {
  await ask({ ttl: 90_000 });
  await guardOver();
  await page.evaluate(() => {
    const now = Date.now;
    Date.now = () => now() + 91_000;
  });
  await click("[part=approve]");
  assert.deepEqual(await resolved(), []);
  assert.equal(await pending(), false);
  assert.equal(await notes(), "The request expired. Nothing was done.");
});

test("the countdown runs by itself, turns urgent, is spoken sparsely and ends", async () => {
  await page.evaluate(async () => {
    const now = Date.now;
    window.skip = 0;
    Date.now = () => now() + skip;
    registry.ask({ ttl: 60_000 });
    await painted();
    window.said = [];
    const note = inside().querySelector("dialog [role=status]");
    new MutationObserver(() => note.textContent && said.push(note.textContent)).observe(note, { childList: true });
    skip = 29_500;
  });
  const timer = (text) => page.waitForFunction((wanted) => part("timer")?.textContent === wanted, text);
  await timer("Expires in 0:30");
  await page.evaluate(() => (skip = 49_000));
  await timer("Expires in 0:10");
  assert.ok(await page.evaluate(() => part("timer").matches(".urgent")));
  assert.deepEqual(await page.evaluate(() => said), ["30 seconds left to answer.", "10 seconds left to answer."]);
  await page.evaluate(() => (skip = 60_000));
  await page.waitForFunction(() => !element.hasAttribute("pending"));
});

test("modal: the page is inert, focus stays inside, and only an answer closes it", async () => {
  await page.focus("#composer");
  await page.evaluate(() => element.setAttribute("modal", ""));
  await ask();
  assert.equal(await page.evaluate(() => inside().querySelector("dialog").ariaModal), "true");
  await page.evaluate(() => composer.focus());
  assert.equal(await focused(), "deny");
  await guardOver();
  await page.mouse.click(5, 5);
  await page.evaluate(() => {
    inside().activeElement?.blur();
    // As in a browser that does not know the attribute.
    inside().querySelector("dialog").removeAttribute("closedby");
  });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.evaluate(() => painted());
  assert.deepEqual(await resolved(), [], "Escape counts with focus inside alone");
  assert.ok(await page.evaluate(() => inside().querySelector("dialog").matches(":modal")));
  await page.evaluate(() => element.removeAttribute("modal"));
  assert.equal(await page.evaluate(() => inside().querySelector("dialog:not(:modal)").ariaModal), "false");
  await page.evaluate(() => element.setAttribute("modal", ""));
  await page.evaluate(() => part("deny").focus());
  await page.keyboard.press("Escape");
  assert.deepEqual(await resolved(), [{ id: "cnf_1", approved: false }]);
  assert.equal(await page.evaluate(() => document.activeElement.id), "composer");
});

test("not modal: the page stays usable", async () => {
  await ask();
  await page.click("#after");
  assert.equal(await page.evaluate(() => document.activeElement.id), "after");
  assert.equal(await page.evaluate(() => inside().querySelector("dialog").ariaModal), "false");
});

test("the approver counts while the element is connected, and leaves nothing behind", async () => {
  const counts = () => page.evaluate(() => [registry.log.approvers, registry.listeners.size]);
  assert.deepEqual(await counts(), [1, 1], "the registry was set before the element was defined");
  await ask();
  await page.evaluate(() => element.remove());
  assert.deepEqual(await counts(), [0, 0]);
  assert.equal(await pending(), false);
  await page.evaluate(() => document.body.append(element));
  assert.deepEqual(await counts(), [1, 1]);
  assert.ok(await pending());
  await page.evaluate(() => place.append(element));
  assert.deepEqual(await counts(), [1, 1]);
  await page.evaluate(() => {
    window.other = fakeRegistry();
    element.registry = other;
  });
  assert.deepEqual(await counts(), [0, 0]);
  assert.equal(await page.evaluate(() => other.log.approvers), 1);
  assert.equal(await pending(), false);
  await page.evaluate(() => (element.registry = undefined));
  assert.equal(await page.evaluate(() => other.log.approvers), 0);
  assert.match(await page.evaluate(() => { try { element.registry = {}; } catch (error) { return String(error); } }), /TypeError: `registry`/);
});

test("defining is idempotent, by any name, and does nothing outside a browser", async () => {
  assert.ok(await page.evaluate(() => {
    define();
    define("my-approvals");
    define("my-approvals");
    return customElements.get("my-approvals") && customElements.get("my-approvals") !== customElements.get("agent-approvals");
  }));
  const { defineAgentApprovals } = await import(new URL("lib/approvals.js", LIB));
  assert.equal(defineAgentApprovals(), undefined);
});

test("a failing registry is not hidden, and the request stays", async () => {
  await page.evaluate(() => (registry.confirmations.resolve = () => { throw new Error("closed"); }));
  await ask();
  await guardOver();
  await Promise.all([page.waitForEvent("pageerror"), click("[part=approve]")]);
  assert.deepEqual(faults.splice(0), ["Error: closed"]);
  assert.deepEqual(await page.evaluate(() => events), []);
  assert.ok(await pending());
});
