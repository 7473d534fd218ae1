// The grid page's agent, over worlds that only show it what is near.

import assert from "node:assert/strict";
import { test } from "node:test";
import { WAYS, createMap } from "../../www/grid/app/map.js";
import { plan } from "../../www/grid/app/policy.js";

/** A world as the native environment keeps one, from its rows; `@` is where the agent begins. */
function createWorld(rows) {
  const find = (letter) => {
    const y = rows.findIndex((row) => row.includes(letter));
    return { x: rows[y].indexOf(letter), y };
  };
  let at = find("@");
  let hasKey = false;
  let isDone = false;
  const letterAt = (x, y) => {
    const letter = rows[y]?.[x] ?? "#";
    return letter === "@" || (letter === "k" && hasKey) ? "." : letter;
  };
  const look = (row) => [-2, -1, 0, 1, 2].map((column) => (row === 0 && column === 0 ? "@" : letterAt(at.x + column, at.y + row))).join("");
  return {
    observe: () => ({ at, hasKey, isDone, view: [-2, -1, 0, 1, 2].map(look) }),
    act(move) {
      const way = WAYS.find((each) => each.move === move);
      const next = { x: at.x + way.x, y: at.y + way.y };
      const letter = letterAt(next.x, next.y);
      assert.notEqual(letter, "#", "the agent walks into no wall");
      assert.ok(letter !== "E" || hasKey, "the agent tries no locked door");
      at = next;
      if (letter === "k") hasKey = true;
      if (letter === "E") isDone = true;
    },
  };
}

const run = (rows, most = 200) => {
  const world = createWorld(rows);
  const map = createMap(rows.length);
  const moves = [];
  for (;;) {
    const seen = world.observe();
    map.see(seen);
    const { goal, path } = plan(map, seen);
    if (path.length === 0) return { goal, moves, isDone: seen.isDone };
    assert.ok(moves.length < most, "the agent goes on for ever");
    moves.push(path[0].move);
    world.act(path[0].move);
  }
};

const ROOMS = [
  "#########",
  "#@#...#E#",
  "#.#.#.#.#",
  "#.#.#.#.#",
  "#...#...#",
  "###.###.#",
  "#k..#...#",
  "#.###.#.#",
  "#########",
];

test("it explores, fetches the key and leaves, by the same moves each time", () => {
  const first = run(ROOMS);
  assert.equal(first.isDone, true);
  assert.deepEqual(run(ROOMS), first);
  // East and south are as near; it prefers its ways in their order, and east is a wall.
  assert.equal(first.moves[0], "south");
});

test("it goes for the key before the exit, and around a locked exit", () => {
  const { moves, isDone } = run(["#######", "#@.E.k#", "#.###.#", "#.....#", "#######", "#######", "#######"]);
  assert.equal(isDone, true);
  assert.equal(moves.join(" "), "south south east east east east north north west west");
});

test("where nothing is left to find, it stops", () => {
  const { goal, isDone, moves } = run(["#####", "#@..#", "#...#", "#####", "#####"]);
  // One step shows the last wall.
  assert.deepEqual([goal, isDone, moves], ["none", false, ["east"]]);
});

test("a map knows what was seen and that there is nothing outside", () => {
  const map = createMap(5);
  assert.equal(map.at(0, 0), undefined);
  assert.equal(map.at(-1, 0), "#");
  map.see({ at: { x: 1, y: 1 }, view: ["#####", "#####", "##@k#", "##.##", "#####"] });
  assert.deepEqual([map.at(1, 1), map.at(2, 1), map.at(1, 2), map.at(4, 4)], [".", "k", ".", undefined]);
  assert.deepEqual(map.find("k"), { x: 2, y: 1 });
  assert.equal(map.find("E"), undefined);
  assert.equal(map.isVisited(1, 1), true);
  assert.equal(map.seen, 16);
});
