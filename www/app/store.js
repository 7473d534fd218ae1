// What the console shows: devices, filters, order, page, selection, the open device. Views and capabilities read the
// same state and call the same methods, so a person and an agent can never see different things.

import { listDevices } from "./api.js";
import { fold } from "./format.js";

export const PAGE_SIZE = 25;
export const STATUSES = ["online", "offline", "disabled"];
export const KINDS = ["gateway", "sensor", "camera", "thermostat"];
export const CITIES = ["Milan", "Lisbon", "Kraków", "Austin", "Osaka"];
export const NO_FILTERS = Object.freeze({ city: "all", status: "all", kind: "all", q: "" });

const collator = new Intl.Collator("en", { numeric: true });

export class Store {
  #listeners = new Set();
  #loading = null;
  devices = [];
  /** `loading` | `ready` | `error` */
  phase = "loading";
  error = null;
  filters = NO_FILTERS;
  sort = { key: "name", descending: false };
  page = 1;
  selection = new Set();
  /** The id of the device in the drawer, or null. */
  openId = null;
  /** Ids whose row just changed on the server, for a short highlight. */
  touched = new Set();

  /** `listener` is called after every change, synchronously. Returns the way to stop it. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed() {
    for (const listener of this.#listeners) listener();
  }

  /** Fetches all devices. Concurrent callers share one request. */
  load() {
    this.#loading ??= this.#fetch().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #fetch() {
    if (this.phase === "error") this.phase = "loading";
    this.#changed();
    try {
      const devices = await listDevices();
      this.touched = this.phase === "ready" ? changedIds(this.devices, devices) : new Set();
      this.devices = devices;
      this.phase = "ready";
      this.error = null;
    } catch (error) {
      this.error = error;
      if (this.devices.length === 0) this.phase = "error";
    }
    this.#settleView();
    this.#changed();
  }

  /** Fetches again after a write, also when a fetch that began before the write is still under way. */
  async reload() {
    await this.#loading;
    await this.load();
  }

  device(id) {
    return this.devices.find((device) => device.id === id);
  }

  get openDevice() {
    return this.openId === null ? undefined : this.device(this.openId);
  }

  /** Every device that the filters let through, in the order shown. */
  matching() {
    const found = this.devices.filter((device) => this.#passes(device, this.filters));
    const { key, descending } = this.sort;
    found.sort((a, b) => (descending ? -1 : 1) * compare(a[key], b[key]) || collator.compare(a.id, b.id));
    return found;
  }

  #passes(device, { city, status, kind, q }) {
    if (city !== "all" && device.city !== city) return false;
    if (status !== "all" && device.status !== status) return false;
    if (kind !== "all" && device.kind !== kind) return false;
    const text = fold(q.trim());
    return text === "" || fold(`${device.name} ${device.id} ${device.serial}`).includes(text);
  }

  /** How many devices each status would show under the other filters. */
  statusCounts() {
    const rest = this.devices.filter((device) => this.#passes(device, { ...this.filters, status: "all" }));
    const counts = { all: rest.length };
    for (const status of STATUSES) counts[status] = rest.filter((device) => device.status === status).length;
    return counts;
  }

  get pages() {
    return Math.max(1, Math.ceil(this.matching().length / PAGE_SIZE));
  }

  pageRows() {
    return this.matching().slice((this.page - 1) * PAGE_SIZE, this.page * PAGE_SIZE);
  }

  /** Changes the filters that are named; the selection keeps only what is still shown. */
  setFilters(changes) {
    this.filters = Object.freeze({ ...this.filters, ...changes });
    this.page = 1;
    this.#settleView();
    this.#changed();
  }

  setSort(key) {
    this.sort = { key, descending: this.sort.key === key && !this.sort.descending };
    this.page = 1;
    this.#changed();
  }

  setPage(page) {
    this.page = Math.min(Math.max(1, page), this.pages);
    this.#changed();
  }

  /** Replaces the selection. */
  select(ids) {
    this.selection = new Set(ids);
    this.#changed();
  }

  selected() {
    return this.matching().filter((device) => this.selection.has(device.id));
  }

  /** Why there is nothing to work with yet, or undefined when there is. */
  loadObstacle() {
    if (this.phase === "ready") return undefined;
    return this.phase === "error" ? "The devices could not be loaded" : "The devices are still loading";
  }

  /** Why the selection cannot be disabled now, or undefined when it can. One rule for the button and the capability. */
  disableObstacle() {
    const devices = this.selected();
    if (devices.length === 0) return "Select at least one device first";
    if (devices.length > 50) return "Select at most 50 devices";
    const already = devices.filter((device) => device.status === "disabled").length;
    if (already === 0) return undefined;
    return already === 1 ? "One selected device is already disabled" : `${already} selected devices are already disabled`;
  }

  /** Shows a device in the drawer, or closes it with null. */
  open(id) {
    if (this.openId === id) return;
    this.openId = id;
    this.#changed();
  }

  #settleView() {
    const shown = new Set(this.matching().map((device) => device.id));
    this.selection = new Set([...this.selection].filter((id) => shown.has(id)));
    this.page = Math.min(this.page, this.pages);
    if (this.phase === "ready" && this.openId !== null && !this.device(this.openId)) this.openId = null;
  }
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return typeof a === "number" ? a - b : collator.compare(a, b);
}

function changedIds(before, after) {
  const known = new Map(before.map((device) => [device.id, JSON.stringify(device)]));
  return new Set(after.filter((device) => known.has(device.id) && known.get(device.id) !== JSON.stringify(device)).map((device) => device.id));
}
