// What the agent does next: the key if it knows a way, then the exit, else the nearest cell with an unknown neighbour. A
// breadth-first search over its own map; the same map gives the same move.

import { WAYS } from "./map.js";

/**
 * `{ goal, path }` of the next moves: `goal` is `"exit"`, `"key"`, `"unknown"` or `"none"`, `path` the cells on the way, the
 * next one first, each with its `move`.
 */
export function plan(map, { at, hasKey, isDone }) {
  if (isDone) return { goal: "none", path: [] };
  // A locked exit is a wall.
  const isFree = (x, y) => map.at(x, y) === "." || map.at(x, y) === "k" || (hasKey && map.at(x, y) === "E");
  const goals = [
    ["exit", (x, y) => hasKey && map.at(x, y) === "E"],
    ["key", (x, y) => map.at(x, y) === "k"],
    ["unknown", (x, y) => WAYS.some((way) => map.at(x + way.x, y + way.y) === undefined)],
  ];
  for (const [goal, isGoal] of goals) {
    const path = search(at, isFree, isGoal);
    if (path) return { goal, path };
  }
  return { goal: "none", path: [] };
}

function search(from, isFree, isGoal) {
  const seen = new Set([`${from.x},${from.y}`]);
  let edge = [{ x: from.x, y: from.y, before: undefined }];
  while (edge.length > 0) {
    const next = [];
    for (const cell of edge) {
      if (cell.before && isGoal(cell.x, cell.y)) return pathTo(cell);
      for (const way of WAYS) {
        const [x, y] = [cell.x + way.x, cell.y + way.y];
        if (seen.has(`${x},${y}`) || !isFree(x, y)) continue;
        seen.add(`${x},${y}`);
        next.push({ x, y, move: way.move, before: cell });
      }
    }
    edge = next;
  }
  return undefined;
}

function pathTo(last) {
  const path = [];
  for (let cell = last; cell.before; cell = cell.before) path.unshift({ x: cell.x, y: cell.y, move: cell.move });
  return path;
}
