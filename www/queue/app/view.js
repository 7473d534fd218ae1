// The queue as a person uses it, and below it what the page has declared at the moment.

import { coalesce, h, icon, setText } from "../../app/dom.js";
import { APP, ROW } from "./actions.js";

export function createQueueView({ queue, words }) {
  const counts = h("p", { class: "quiet counts" });
  const list = h("ul", { class: "tasks" });
  const empty = h("p", { class: "quiet", text: words.empty });
  const input = h("input", { class: "input", name: "task", "aria-label": words.newTask, placeholder: words.newTaskHint, autocomplete: "off", maxlength: "120" });
  const clear = h("button", { type: "button", class: "button button-danger", text: words.clearByHand, on: { click: () => queue.clearCompleted() } });
  const form = h("form", { class: "task-form" }, input, h("button", { type: "submit", class: "button button-primary" }, icon("plus", 15), h("span", { text: words.add })));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (input.value.trim() === "") return;
    queue.add(input.value);
    input.value = "";
  });
  const rows = new Map();
  const rowOf = ({ id, text }) => {
    const box = h("input", { type: "checkbox", class: "checkbox", "aria-label": words.completedMark(text), on: { change: () => queue.setCompleted(id, box.checked) } });
    const element = h("li", { class: "task", dataset: { id } }, h("label", {}, box, h("span", { class: "task-text", text })), h("span", { class: "task-id mono", text: id }));
    return { element, box };
  };
  const render = coalesce(() => {
    const tasks = queue.rows();
    for (const [id, { element }] of rows) {
      if (tasks.some((task) => task.id === id)) continue;
      element.remove();
      rows.delete(id);
    }
    for (const task of tasks) {
      if (!rows.has(task.id)) {
        rows.set(task.id, rowOf(task));
        list.append(rows.get(task.id).element);
      }
      const { element, box } = rows.get(task.id);
      box.checked = task.completed;
      element.classList.toggle("is-completed", task.completed);
    }
    const { completed, total, open } = queue.counts();
    setText(counts, words.counts({ completed, open }));
    empty.hidden = total > 0;
    clear.disabled = completed === 0;
  });
  queue.subscribe(render);
  render();
  const element = h("section", { class: "card", "aria-labelledby": "queue-title" },
    h("div", { class: "card-head" }, h("h2", { id: "queue-title", text: words.queueTitle }), counts, h("span", { class: "spacer" }), clear),
    list, empty, form);
  return { element };
}

/** `published`: capability ids by published id. */
export function createDeclaredView({ registry, published, words }) {
  const list = h("ul", { class: "declared" });
  const render = coalesce(() => {
    const names = new Map(Object.entries(published).map(([id, capability]) => [capability, id]));
    const { components } = registry.snapshot();
    const declared = components.flatMap(({ type, instanceId, actions }) => actions.map(({ capabilityId }) => ({ type, instanceId, capabilityId, name: names.get(capabilityId) })));
    declared.sort((one, other) => Number(one.name === undefined) - Number(other.name === undefined));
    list.replaceChildren(...declared.map(({ type, instanceId, capabilityId, name }) =>
      h("li", { dataset: { capability: capabilityId, published: name !== undefined, ...(type === ROW && { instance: instanceId }) } },
        h("span", { class: "mono", text: name ?? capabilityId.replace(`view:${APP}.`, "") }),
        type === ROW && h("span", { class: "mono quiet", text: instanceId }),
        h("span", { class: "spacer" }),
        h("span", { class: name === undefined ? "badge" : "badge badge-local-state", text: name === undefined ? words.notPublished : words.published }))));
  });
  registry.subscribe(render);
  render();
  const element = h("section", { class: "card", "aria-labelledby": "declared-title" },
    h("h2", { id: "declared-title", text: words.declared }), h("p", { class: "quiet", text: words.declaredHint }), list);
  return { element };
}
