// The shapes that cross the boundary, as JSON Schema.

import { fromJsonSchema } from "../package.js";
import { CITIES, KINDS, PAGE_SIZE, STATUSES } from "../store.js";

const text = (maxLength = 80) => ({ type: "string", maxLength });
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required, additionalProperties: false });
const choice = (options, description) => ({ type: "string", enum: ["all", ...options], description });
const deviceId = { type: "string", pattern: "^dev-[0-9]{3}$", description: "A device id such as dev-007" };
const whole = { type: "integer", minimum: 0 };

const filterProperties = {
  city: choice(CITIES, "Only this city; all for every city"),
  status: choice(STATUSES, "Only this status; all for every status"),
  kind: choice(KINDS, "Only this kind; all for every kind"),
  q: { ...text(), description: "Part of a name, id or serial number; empty for none" },
};
const row = object({ id: deviceId, name: text(), city: text(), kind: text(), status: text(), selected: { type: "boolean" } });
const brief = object({ id: deviceId, name: text(), city: text(), status: text() });
const details = object({ id: deviceId, name: text(), city: text(), kind: text(), status: text(), firmware: text(), serial: text(), lastSeen: text(), battery: { type: ["integer", "null"], minimum: 0, maximum: 100 } });
const ids = (maxItems) => ({ type: "array", items: deviceId, minItems: 1, maxItems, uniqueItems: true });

export const filtersOutput = fromJsonSchema(object({
  filters: object(filterProperties),
  matching: whole,
  total: whole,
  options: object({ city: { type: "array", items: text() }, status: { type: "array", items: text() }, kind: { type: "array", items: text() } }),
}));
export const setFiltersInput = fromJsonSchema(object(filterProperties, []));
export const setFiltersOutput = fromJsonSchema(object({ filters: object(filterProperties), matching: whole }));
export const rowsOutput = fromJsonSchema(object({
  rows: { type: "array", items: row, maxItems: PAGE_SIZE },
  page: { type: "integer", minimum: 1 },
  pages: { type: "integer", minimum: 1 },
  matching: whole,
}));
export const selectionOutput = fromJsonSchema(object({ count: whole, devices: { type: "array", items: brief } }));
export const pageInput = fromJsonSchema(object({ page: { type: "integer", minimum: 1, maximum: 1000 } }));
export const selectInput = fromJsonSchema(object({ ids: ids(60) }));
export const countOutput = fromJsonSchema(object({ selected: whole }));
export const openInput = fromJsonSchema(object({ id: deviceId }));
export const openOutput = fromJsonSchema(object({ open: deviceId }));
export const detailsOutput = fromJsonSchema(details);
export const closeOutput = fromJsonSchema(object({ open: { type: "null" } }));
// Procedures name their schemas as plain JSON Schema too: they describe an operation of the backend.
export const disableInput = fromJsonSchema(object({ ids: ids(50) }));
export const disableOutput = fromJsonSchema(object({ disabled: { type: "array", items: brief } }));
export const renameInput = fromJsonSchema(object({ id: deviceId, name: { type: "string", minLength: 1, maxLength: 60, description: "The new name, unique among all devices" } }));
export const renameOutput = fromJsonSchema(object({ device: brief }));
