// Selecting in the table: clicks with shift and ctrl, and the keyboard pattern of a multi-selectable grid
// (ARIA Authoring Practices): arrows move, Space toggles, Shift extends, Enter opens, Ctrl+A takes the page.

/**
 * `toggle(id, extend)`, `toggleAll()`, and `attach(body, grid)`, which listens to the rows of `body`. `onOpen()` hears that the
 * keyboard opened a device.
 */
export function selectionKeys(store, onOpen) {
  let anchor = null;
  let current = null;
  let rows = null;

  const shown = () => store.pageRows().map((device) => device.id);
  const rowOf = (id) => [...(rows?.children ?? [])].find((row) => row.dataset.id === id);

  function range(id) {
    const ids = shown();
    const from = ids.indexOf(anchor);
    const to = ids.indexOf(id);
    if (from < 0 || to < 0) return [id];
    return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  }

  function toggle(id, extend = false) {
    if (extend && anchor !== null) {
      store.select([...store.selection, ...range(id)]);
      return;
    }
    anchor = id;
    const next = new Set(store.selection);
    if (!next.delete(id)) next.add(id);
    store.select(next);
  }

  function toggleAll() {
    const ids = shown();
    const every = ids.every((id) => store.selection.has(id));
    store.select(every ? [...store.selection].filter((id) => !ids.includes(id)) : [...store.selection, ...ids]);
  }

  function focus(id) {
    current = id;
    settleFocus();
    rowOf(id)?.focus();
  }

  /** Exactly one row can be reached by Tab. */
  function settleFocus() {
    const ids = shown();
    if (!ids.includes(current)) current = ids[0] ?? null;
    for (const row of rows?.children ?? []) row.tabIndex = row.dataset.id === current ? 0 : -1;
  }

  function move(event, id, step) {
    const ids = shown();
    const target = ids[Math.min(Math.max(0, ids.indexOf(id) + step), ids.length - 1)];
    if (event.shiftKey && target) {
      anchor ??= id;
      store.select([...store.selection, id, target]);
    }
    focus(target);
  }

  function onKey(event) {
    const id = event.target.closest?.("tr[data-id]")?.dataset.id;
    if (!id) return;
    const moves = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity, PageDown: 10, PageUp: -10 };
    if (event.key in moves) move(event, id, moves[event.key]);
    else if (event.key === " ") toggle(id, event.shiftKey);
    else if (event.key === "Enter") {
      store.open(id);
      onOpen();
    } else if (event.key === "a" && (event.ctrlKey || event.metaKey)) store.select([...store.selection, ...shown()]);
    else if (event.key === "Escape" && store.selection.size > 0) store.select([]);
    else return;
    event.preventDefault();
  }

  function onClick(event) {
    const row = event.target.closest("tr[data-id]");
    if (!row) return;
    const { id } = row.dataset;
    current = id;
    if (event.target.closest("input")) settleFocus();
    else if (event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest(".col-check")) toggle(id, event.shiftKey);
    else store.open(store.openId === id ? null : id);
  }

  return {
    toggle,
    toggleAll,
    settleFocus,
    focus,
    attach(body, grid) {
      rows = body;
      grid.addEventListener("keydown", onKey);
      body.addEventListener("click", onClick);
      body.addEventListener("focusin", (event) => {
        const id = event.target.closest("tr[data-id]")?.dataset.id;
        if (id && id !== current) {
          current = id;
          settleFocus();
        }
      });
      // A shift-click extends the selection of rows, not of text.
      body.addEventListener("mousedown", (event) => event.shiftKey && event.preventDefault());
    },
  };
}
