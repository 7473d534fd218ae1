// `devices.table`: the rows shown, the selection, and disabling what is selected.

import { action, defineAgentComponent, emptyObjectSchema, observation, procedure, requireConfirmation } from "../package.js";
import { count, listed } from "../format.js";
import { countOutput, disableInput, disableOutput, openInput, openOutput, pageInput, rowsOutput, selectInput, selectionOutput } from "./schemas.js";

const brief = ({ id, name, city, status }) => ({ id, name, city, status });

export function tableComponent(store) {
  const ready = () => store.loadObstacle() === undefined;
  const unready = () => store.loadObstacle() ?? "Unavailable";
  return defineAgentComponent({
    type: "devices.table",
    instanceId: "main",
    description: "The table of devices, as filtered. It shows 25 rows a page; the selection spans all pages.",
    priority: 10,
    observations: {
      rows: observation({
        description: "Read the rows of the page shown, with the number of the page and how many devices match in all.",
        output: rowsOutput,
        when: ready,
        unavailableReason: unready,
        read: () => rows(store),
      }),
      selection: observation({ description: "Read which devices are selected.", output: selectionOutput, read: () => selection(store) }),
    },
    actions: {
      showPage: action({
        description: "Show another page of the table.",
        input: pageInput,
        output: rowsOutput,
        effect: "local-state",
        idempotent: true,
        when: () => store.pages > 1,
        unavailableReason: "All rows are on one page",
        precondition: ({ page }) => (page > store.pages ? { message: `There are only ${count(store.pages, "page")}.`, details: { pages: store.pages } } : undefined),
        execute: ({ page }) => {
          store.setPage(page);
          return rows(store);
        },
      }),
      selectRows: action({
        description: "Replace the selection by these devices. Every one must pass the current filters.",
        input: selectInput,
        output: countOutput,
        effect: "local-state",
        idempotent: true,
        when: ready,
        unavailableReason: unready,
        precondition: ({ ids }) => unselectable(store, ids),
        execute: ({ ids }) => {
          store.select(ids);
          return { selected: store.selection.size };
        },
      }),
      clearSelection: action({
        description: "Clear the selection.",
        input: emptyObjectSchema,
        output: countOutput,
        effect: "local-state",
        idempotent: true,
        when: () => store.selection.size > 0,
        unavailableReason: "Nothing is selected",
        execute: () => {
          store.select([]);
          return { selected: 0 };
        },
      }),
      openDevice: action({
        description: "Open the details of one device beside the table. Its own capabilities, renaming among them, exist while it is open.",
        input: openInput,
        output: openOutput,
        effect: "navigation",
        idempotent: true,
        when: ready,
        unavailableReason: unready,
        precondition: ({ id }) => (store.device(id) ? undefined : { message: `There is no device ${id}.`, details: { unknown: [id] } }),
        execute: ({ id }) => {
          store.open(id);
          return { open: id };
        },
      }),
    },
    procedures: [disableProcedure(store)],
  });
}

function disableProcedure(store) {
  return procedure({
    id: "domain:devices.disable",
    description: "Disable the selected devices: they stop reporting until someone on site turns them on again.",
    input: disableInput,
    output: disableOutput,
    effect: "destructive",
    bind: { ids: () => store.selected().map((device) => device.id) },
    when: () => store.disableObstacle() === undefined,
    unavailableReason: () => store.disableObstacle() ?? "Unavailable",
    describe: () => selectionText(store),
    // The person is asked about names, not only about ids.
    policies: [requireConfirmation({ summary: ({ effectiveInput }) => disableText(store, effectiveInput.ids) })],
  });
}

function disableText(store, ids) {
  return `Disable ${count(ids.length, "device")}: ${listed(ids.map((id) => store.device(id)?.name ?? id), 6)}`;
}

function selectionText(store) {
  const devices = store.selected();
  if (devices.length === 0) return "No device selected";
  return `${count(devices.length, "device")} selected: ${listed(devices.map((device) => device.name), 5)}`;
}

function rows(store) {
  return {
    rows: store.pageRows().map(({ id, name, city, kind, status }) => ({ id, name, city, kind, status, selected: store.selection.has(id) })),
    page: store.page,
    pages: store.pages,
    matching: store.matching().length,
  };
}

function selection(store) {
  const devices = store.selected().map(brief);
  return { count: devices.length, devices };
}

function unselectable(store, ids) {
  const shown = new Set(store.matching().map((device) => device.id));
  const unknown = ids.filter((id) => !store.device(id));
  const filteredOut = ids.filter((id) => store.device(id) && !shown.has(id));
  if (unknown.length > 0) return { message: `${count(unknown.length, "id")} of ${ids.length} name no device. Read the rows first.`, details: { unknown, filteredOut } };
  if (filteredOut.length > 0) return { message: `${count(filteredOut.length, "device")} of ${ids.length} do not pass the current filters. Change the filters first.`, details: { unknown, filteredOut } };
  return undefined;
}
