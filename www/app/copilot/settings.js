// Which model answers. Address, model and key live in this page's memory and are gone with it.

import { anthropicModel } from "../agent/anthropic.js";
import { openaiModel } from "../agent/openai.js";
import { scriptedModel } from "../agent/scripted.js";
import { h, setText } from "../dom.js";

const PROVIDERS = {
  scripted: { label: "Scripted agent", hint: "No model: it understands a handful of sentences." },
  anthropic: { label: "Anthropic", hint: "The Messages API, called from this page.", baseUrl: "https://api.anthropic.com", make: anthropicModel, needsKey: true },
  openai: { label: "OpenAI-compatible", hint: "Any chat-completions endpoint that allows calls from a page; the key may be empty for a local one.", baseUrl: "https://api.openai.com/v1", make: openaiModel, needsKey: false },
};

export function createSettings({ onChange }) {
  let model = scriptedModel();
  const radios = Object.entries(PROVIDERS).map(([id, { label, hint }]) => {
    const radio = h("input", { type: "radio", name: "provider", value: id, checked: id === "scripted" });
    return { id, radio, element: h("label", { class: "provider" }, radio, h("span", {}, h("strong", { text: label }), h("small", { text: hint }))) };
  });
  const baseUrl = h("input", { class: "input", name: "base", type: "url", spellcheck: "false", autocomplete: "off" });
  const name = h("input", { class: "input", name: "model", spellcheck: "false", autocomplete: "off" });
  const key = h("input", { class: "input", name: "key", type: "password", autocomplete: "off", spellcheck: "false" });
  const problem = h("p", { class: "field-error", role: "alert" });
  const fields = h("div", { class: "settings-fields", hidden: true }, field("Base URL", baseUrl), field("Model", name), field("API key", key), h("p", { class: "settings-note", text: "The key stays in this page's memory and is sent to that address only." }));
  const form = h("form", { class: "settings", novalidate: true }, h("h2", { id: "settings-title", text: "Model" }), h("div", { class: "providers", role: "radiogroup", "aria-label": "Provider" }, radios.map((radio) => radio.element)), fields, problem,
    h("div", { class: "dialog-actions" }, h("button", { type: "button", class: "button", text: "Cancel", on: { click: () => dialog.close() } }), h("button", { type: "submit", class: "button button-primary", text: "Use this" })));
  const dialog = h("dialog", { class: "dialog", "aria-labelledby": "settings-title" }, form);
  document.body.append(dialog);

  const chosen = () => radios.find(({ radio }) => radio.checked).id;
  form.addEventListener("change", (event) => {
    if (event.target.name !== "provider") return;
    fields.hidden = chosen() === "scripted";
    baseUrl.value = PROVIDERS[chosen()].baseUrl ?? "";
    setText(problem, "");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try {
      model = make(chosen(), { baseUrl: baseUrl.value.trim(), model: name.value.trim(), key: key.value.trim() });
    } catch (error) {
      setText(problem, error.message);
      return;
    }
    dialog.close();
    onChange();
  });
  return { model: () => model, show: () => dialog.showModal() };
}

function make(id, values) {
  const provider = PROVIDERS[id];
  if (!provider.make) return scriptedModel();
  if (values.model === "") throw new Error("Name the model to use.");
  if (provider.needsKey && values.key === "") throw new Error("This endpoint needs a key.");
  return provider.make(values);
}

function field(label, control) {
  return h("label", { class: "field" }, h("span", { text: label }), control);
}
