// What the agent has seen of its world. It knows nothing that no observation said.

const SIGHT = 2;

/** The four ways, in the order in which the agent prefers them. */
export const WAYS = [
  { move: "north", x: 0, y: -1 },
  { move: "east", x: 1, y: 0 },
  { move: "south", x: 0, y: 1 },
  { move: "west", x: -1, y: 0 },
];

const keyOf = (x, y) => `${x},${y}`;

/** A map of a world of this size, all of it unknown but for what `known` and `visited` say. */
export function createMap(size, known = [], visited = []) {
  const cells = new Map(known);
  const visits = new Set(visited);
  const isInside = (x, y) => x >= 0 && y >= 0 && x < size && y < size;
  return {
    size,
    /** `#`, `.`, `k`, `E`, or undefined where nothing was seen yet. */
    at: (x, y) => (isInside(x, y) ? cells.get(keyOf(x, y)) : "#"),
    isVisited: (x, y) => visits.has(keyOf(x, y)),
    /** How many cells have been seen. */
    get seen() {
      return cells.size;
    },
    /** Takes an observation in. */
    see({ at, view }) {
      for (const [row, line] of view.entries()) {
        for (const [column, letter] of [...line].entries()) {
          const [x, y] = [at.x + column - SIGHT, at.y + row - SIGHT];
          if (isInside(x, y)) cells.set(keyOf(x, y), letter === "@" ? "." : letter);
        }
      }
      visits.add(keyOf(at.x, at.y));
    },
    /** What is known now, for later. */
    copy: () => createMap(size, cells, visits),
    /** Where a letter was seen, or undefined. */
    find(letter) {
      for (const [key, known] of cells) {
        if (known === letter) {
          const [x, y] = key.split(",").map(Number);
          return { x, y };
        }
      }
      return undefined;
    },
  };
}
