// `devices.filters`: which devices are shown.

import { action, defineAgentComponent, observation } from "../package.js";
import { CITIES, KINDS, STATUSES } from "../store.js";
import { filtersOutput, setFiltersInput, setFiltersOutput } from "./schemas.js";

export function filtersComponent(store) {
  return defineAgentComponent({
    type: "devices.filters",
    description: "The filters above the device table. They decide which devices the table shows.",
    priority: 20,
    observations: {
      read: observation({
        description: "Read the current filters, how many devices match them, and the values each filter can take.",
        output: filtersOutput,
        read: () => ({
          filters: { ...store.filters },
          matching: store.matching().length,
          total: store.devices.length,
          options: { city: CITIES, status: STATUSES, kind: KINDS },
        }),
      }),
    },
    actions: {
      setFilters: action({
        description: "Change the filters that are given and leave the others as they are. `all` or an empty text lifts a filter. Rows that are no longer shown leave the selection.",
        input: setFiltersInput,
        output: setFiltersOutput,
        effect: "local-state",
        idempotent: true,
        when: () => store.loadObstacle() === undefined,
        unavailableReason: () => store.loadObstacle() ?? "Unavailable",
        execute: (changes) => {
          store.setFilters(changes);
          return { filters: { ...store.filters }, matching: store.matching().length };
        },
      }),
    },
  });
}
