// What one act costs in registries of different sizes, each component with ten capabilities: the curve that must stay flat.

import * as surface from "/pkg/dist/index.js";

export const SIZES = [100, 300, 1000];

const consumer = { id: "bench", kind: "embedded" };

const component = (at) => {
  const actions = {};
  for (let number = 0; number < 10; number++) {
    actions[`act${number}`] = surface.action({
      description: `Does number ${number} in ${at}`,
      input: surface.emptyObjectSchema,
      effect: "local-state",
      execute: () => undefined,
    });
  }
  return surface.defineAgentComponent({ type: `scale.n${at}`, description: `Component ${at}`, actions });
};

const filled = (count) => {
  const registry = surface.createAgentSurfaceRegistry({ requireApprover: false });
  const handles = Array.from({ length: count }, (_, at) => registry.register(component(at)));
  registry.snapshot({ consumer });
  return { registry, handles };
};

/** Name → make(count) → the operation, and how to be rid of its registry. */
export const SCALE = {
  "register one more, and unregister it": (count) => {
    const { registry } = filled(count);
    const one = component(count);
    return [() => registry.register(one).unregister(), () => registry.dispose()];
  },
  "snapshot after one change": (count) => {
    const { registry, handles } = filled(count);
    let on = true;
    const change = () => {
      handles[count >> 1].update({ enabled: (on = !on) });
      registry.snapshot({ consumer });
    };
    return [change, () => registry.dispose()];
  },
  "one call": (count) => {
    const { registry } = filled(count);
    const capabilityId = `view:scale.n${count >> 1}.act7`;
    return [() => registry.invoke({ capabilityId, input: {} }, { consumer }), () => registry.dispose()];
  },
};
