// The device console: each chapter starts from fresh data and a fresh page.
import { demoPage } from "./demo-page.mjs";
import { byHand } from "./demo-story-hand.mjs";
import { CHANNELS } from "./demo-story-channels.mjs";
import { attack } from "./demo-synthetic.mjs";

const idsOf = (devices) => devices.map(({ id }) => id);
const every = (statuses, status) => statuses.length > 0 && statuses.every((each) => each === status);

async function approved(demo, report) {
  const offline = await demo.devices({ city: "Milan", status: "offline" });
  report.note(`The server has ${offline.length} offline devices in Milan: ${idsOf(offline).join(", ")}.`);
  await demo.shot("1-console");
  await demo.say("disable the offline devices in Milan");
  const record = await demo.asked();
  await demo.shot("2-approval");
  report.equal("a person is asked about exactly these devices", [...record.input.ids].sort(), idsOf(offline).sort());
  report.equal("by the copilot, for something destructive", [record.consumerKey, record.effect], ["embedded:copilot", "destructive"]);
  report.holds("until then nothing has happened on the server", every(await demo.statusOf(idsOf(offline)), "offline"));
  await demo.approve();
  await demo.answered();
  const lines = await demo.conversation();
  for (const line of lines) report.note(line);
  report.holds("the copilot says that it is done", lines.at(-1).startsWith("agent: Done."), lines);
  report.holds("the server shows them disabled", every(await demo.statusOf(idsOf(offline)), "disabled"), await demo.statusOf(idsOf(offline)));
  report.equal("nothing is left to approve", await demo.pending(), 0);
  await demo.page.locator(".call[data-effect=destructive] summary").click();
  await demo.shot("3-disabled");
}

async function denied(demo, report) {
  const offline = await demo.devices({ city: "Lisbon", status: "offline" });
  await demo.say("disable the offline devices in Lisbon");
  await demo.asked();
  await demo.deny("They are being repaired");
  await demo.answered();
  const lines = await demo.conversation();
  for (const line of lines) report.note(line);
  report.holds("the server shows them as they were", every(await demo.statusOf(idsOf(offline)), "offline"));
  report.holds("the call is marked as denied", lines.includes("call: Disable devices → Denied"), lines);
  report.holds("the copilot says who denied it and why", lines.at(-1).includes("denied") && lines.at(-1).includes("They are being repaired"), lines.at(-1));
  await demo.shot("4-denied");
}

async function askedAnew(demo, report) {
  await demo.say("disable the offline devices in Milan");
  await demo.asked();
  await demo.deny();
  await demo.answered();
  const lisbon = idsOf(await demo.devices({ city: "Lisbon", status: "offline" }));
  await demo.say("disable the offline devices in Lisbon");
  const other = await demo.asked();
  report.equal("a denial of some devices says nothing about others", [...other.input.ids].sort(), lisbon.sort());
  await demo.deny();
  await demo.answered();
  await demo.say("disable the offline devices in Milan");
  const again = await demo.asked();
  report.holds("and a person may be asked about the first ones again", again.input.ids.length > 0, again);
  await demo.approve();
  await demo.answered();
  report.holds("then approved", every(await demo.statusOf(again.input.ids), "disabled"));
  report.holds("the others are as they were", every(await demo.statusOf(lisbon), "offline"));
}

async function stopped(demo, report) {
  const offline = await demo.devices({ city: "Osaka", status: "offline" });
  await demo.say("disable the offline devices in Osaka");
  await demo.asked();
  await demo.page.getByRole("button", { name: "Stop" }).click();
  await demo.answered();
  const lines = await demo.conversation();
  report.equal("the run ends", lines.at(-1), "note: Stopped.");
  report.equal("what it asked for is withdrawn", await demo.pending(), 0);
  await demo.say("disable the selected devices");
  await demo.asked();
  report.equal("the next run has to ask again", await demo.pending(), 1);
  await demo.deny();
  await demo.answered();
  report.holds("the server shows them as they were", every(await demo.statusOf(idsOf(offline)), "offline"));
}

async function synthetic(demo, report) {
  const offline = await demo.devices({ city: "Milan", status: "offline" });
  await demo.say("disable the offline devices in Milan");
  const record = await demo.asked();
  const { shadowRoot, tag } = await attack(demo.page, await demo.centreOf("approve"));
  report.equal("the buttons are out of a script's reach", [shadowRoot, tag], [null, "AGENT-APPROVALS"]);
  report.equal("the request still waits", await demo.pending(), 1);
  report.holds("the server shows the devices as they were", every(await demo.statusOf(idsOf(offline)), "offline"));
  const refusals = await demo.audit("gesture-refused");
  report.holds("the attempts are in the audit trail", refusals.length > 0 && refusals.every((event) => event.confirmationId === record.confirmationId), refusals);
  await demo.page.getByRole("tab", { name: "Audit" }).click();
  await demo.shot("5-synthetic");
  await demo.approve();
  await demo.page.getByRole("tab", { name: "Copilot" }).click();
  await demo.answered();
  report.holds("a real click on the same spot approves", every(await demo.statusOf(idsOf(offline)), "disabled"));
}

async function stale(demo, report) {
  await demo.say("open dev-007");
  await demo.answered();
  const drawer = (await demo.snapshot("copilot")).components.find(({ type }) => type === "devices.drawer");
  const details = { capabilityId: "view:devices.drawer.details", registrationId: drawer.registrationId };
  report.equal("a call with a live registration is served", (await demo.invoke(details, "copilot")).status, "ok");
  await demo.page.getByRole("button", { name: "Close the details" }).click();
  const unmounted = await demo.invoke(details, "copilot");
  report.equal("after the drawer closed it is unmounted", unmounted.error?.code, "COMPONENT_UNMOUNTED");
  await demo.say("open dev-007");
  await demo.answered();
  const replaced = await demo.invoke(details, "copilot");
  const live = (await demo.snapshot("copilot")).components.find(({ type }) => type === "devices.drawer").registrationId;
  report.equal("opened again, the old registration is stale", [replaced.error?.code, replaced.error?.details], ["STALE_CAPABILITY", { reason: "registration-replaced", liveRegistrationId: live }]);
  const old = (await demo.snapshot("copilot")).surfaceVersion;
  await demo.say("select all offline devices");
  await demo.answered();
  const call = { capabilityId: "domain:devices.disable", surfaceVersion: old, input: {} };
  const refused = await demo.invoke(call, "copilot");
  report.equal("a destructive call from an older catalog is stale", [refused.error?.code, refused.error?.details?.reason], ["STALE_CAPABILITY", "surface-version-mismatch"]);
  report.equal("and nobody is asked about it", await demo.pending(), 0);
}

async function catalogs(demo, report) {
  const seen = async (consumer) => {
    const snapshot = await demo.snapshot(consumer);
    return [...snapshot.components.flatMap(({ observations, actions }) => [...observations, ...actions]), ...snapshot.procedures];
  };
  const disable = (await seen("copilot")).find((entry) => entry.procedureId === "domain:devices.disable");
  report.equal("without a selection there is nothing to disable, and the catalog says why", [disable.available, disable.unavailableReason], [false, "Select at least one device first"]);
  const viewer = await seen("viewer");
  report.holds("a viewer sees observations only", viewer.length > 0 && viewer.every((entry) => entry.effect === undefined), viewer.map((entry) => entry.capabilityId ?? entry.procedureId));
  const hidden = await demo.invoke({ capabilityId: "view:devices.table.clearSelection", input: {} }, "viewer");
  report.holds("and is refused the rest", hidden.error?.code === "NOT_AUTHORIZED", hidden);
  await demo.page.getByRole("tab", { name: "Catalog" }).click();
  await demo.shot("6-catalog");
  await demo.page.locator("tr[data-id]:has(.status-online) .checkbox").first().click();
  await demo.page.locator(".entry[data-available=true]", { hasText: "Disable devices" }).waitFor();
  report.holds("a selection by hand changes the catalog at once", true);
  await demo.page.getByRole("button", { name: /^Viewer/ }).click();
  report.equal("the viewer's list shows as many", await demo.page.locator(".entry").count(), viewer.length);
  await demo.shot("7-viewer");
}

async function looks(demo, report) {
  await demo.say("show the cameras in Osaka");
  await demo.answered();
  await demo.say("open dev-055");
  await demo.answered();
  for (const [name, size, scheme] of [["8-drawer", [1440, 900], "light"], ["9-dark", [1280, 800], "dark"], ["10-narrow", [900, 760], "light"], ["10-phone", [390, 844], "light"]]) {
    await demo.page.setViewportSize({ width: size[0], height: size[1] });
    await demo.page.emulateMedia({ colorScheme: scheme });
    await demo.shot(name);
    const width = await demo.page.evaluate(() => document.documentElement.scrollWidth);
    report.holds(`${scheme}, ${size.join(" × ")}: nothing runs over the side`, width <= size[0], width);
    const foot = await demo.page.locator(".panel-foot summary").evaluate((line) => [line.offsetHeight, line.querySelector(".foot-label").scrollWidth - line.querySelector(".foot-label").clientWidth]);
    report.holds("and the panel's foot is one line, all of it", foot[0] <= 36 && foot[1] <= 0, foot);
  }
  await demo.page.setViewportSize({ width: 1440, height: 900 });
  await demo.page.emulateMedia({ colorScheme: "light" });
}

export const open = demoPage;

export const CHAPTERS = [
  ["The copilot disables what a person approves", approved],
  ["The same, denied", denied],
  ["A denial binds to what was denied", askedAnew],
  ["The same, stopped while a person is asked", stopped],
  ["A script's click is no approval", synthetic],
  ["A stale call", stale],
  ["What each consumer sees", catalogs],
  ...CHANNELS,
  ["The console by hand", byHand],
  ["How it looks", looks],
];
