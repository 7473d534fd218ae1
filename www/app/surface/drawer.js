// `devices.drawer`: the device whose details are open. Registered only while the drawer is; its instance is the device.

import { action, defineAgentComponent, emptyObjectSchema, observation, procedure } from "../package.js";
import { closeOutput, detailsOutput, renameInput, renameOutput } from "./schemas.js";

export function drawerComponent(store, id) {
  return defineAgentComponent({
    type: "devices.drawer",
    instanceId: id,
    parent: { type: "devices.table", instanceId: "main" },
    description: `The details of ${id}, open beside the table.`,
    priority: 5,
    observations: {
      details: observation({ description: "Read everything known about the open device.", output: detailsOutput, read: () => details(store.device(id)) }),
    },
    actions: {
      close: action({
        description: "Close the details.",
        input: emptyObjectSchema,
        output: closeOutput,
        effect: "navigation",
        idempotent: true,
        execute: () => {
          store.open(null);
          return { open: null };
        },
      }),
    },
    procedures: [
      procedure({
        id: "domain:devices.rename",
        description: "Rename the open device. The name must be unique.",
        input: renameInput,
        output: renameOutput,
        effect: "server-mutation",
        bind: { id: () => id },
        describe: () => `${store.device(id)?.name ?? id} (${id})`,
      }),
    ],
  });
}

function details({ id, name, city, kind, status, firmware, serial, lastSeen, battery }) {
  return { id, name, city, kind, status, firmware, serial, lastSeen, battery };
}
