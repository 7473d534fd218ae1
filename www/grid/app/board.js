// The board: what the agent knows of its world, where it is and where it wants to go.

import { h } from "/app/dom.js";

const KINDS = { "#": "wall", ".": "floor", k: "key", E: "exit" };
const WORDS = { exit: "leave", key: "fetch the key", unknown: "see more", none: "" };

export function mountBoard(root) {
  let cells = [];
  let size = 0;

  function lay(wanted) {
    if (size === wanted) return;
    size = wanted;
    cells = Array.from({ length: size * size }, () => h("span", { class: "cell" }));
    root.style.setProperty("--size", size);
    root.replaceChildren(...cells);
  }

  return function render({ map, seen, planned }) {
    lay(map.size);
    const onPath = new Set(planned.path.map(({ x, y }) => `${x},${y}`));
    for (const [index, cell] of cells.entries()) {
      const [x, y] = [index % size, Math.floor(index / size)];
      const isAgent = x === seen.at.x && y === seen.at.y;
      const classes = ["cell", `cell-${KINDS[map.at(x, y)] ?? "unknown"}`];
      if (map.isVisited(x, y)) classes.push("is-visited");
      if (onPath.has(`${x},${y}`)) classes.push("is-planned");
      if (Math.abs(x - seen.at.x) <= 2 && Math.abs(y - seen.at.y) <= 2) classes.push("is-in-sight");
      if (isAgent) classes.push("is-agent", ...(seen.hasKey ? ["has-key"] : []));
      const name = classes.join(" ");
      if (cell.className !== name) cell.className = name;
    }
    const carrying = seen.hasKey ? " with the key" : "";
    root.setAttribute("aria-label", `A world of ${size} by ${size}; the agent is${carrying} at column ${seen.at.x}, row ${seen.at.y}`);
  };
}

/** What the agent is about, in a sentence. */
export function thoughtOf({ goal, path }, seen) {
  if (seen.isDone) return `Out of the maze after ${seen.tick} steps.`;
  if (goal === "none") return "Nothing is left to find.";
  const steps = path.length === 1 ? "one step" : `${path.length} steps`;
  return `Wants to ${WORDS[goal]}: ${steps} away, next ${path[0].move}.`;
}
