//! Grid worlds: a maze with a key and a locked exit, the same for the same seed wherever it is made.
//!
//! It refuses to make a world that cannot be solved: every open cell can be reached from the start. `walk` calls it.

/// The sizes that a world can have; both its sides.
pub const SIZES: [usize; 4] = [9, 13, 17, 21];

/// Column and row, from 0.
pub type Cell = (usize, usize);

/// Where one can go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    North,
    East,
    South,
    West,
}

impl Direction {
    pub const ALL: [Direction; 4] = [
        Direction::North,
        Direction::East,
        Direction::South,
        Direction::West,
    ];

    /// Its name in payloads.
    pub fn name(self) -> &'static str {
        match self {
            Direction::North => "north",
            Direction::East => "east",
            Direction::South => "south",
            Direction::West => "west",
        }
    }

    /// Its letter in snapshots.
    pub fn letter(self) -> char {
        match self {
            Direction::North => 'N',
            Direction::East => 'E',
            Direction::South => 'S',
            Direction::West => 'W',
        }
    }

    /// So many steps from a cell, unless that is past the first row or column.
    fn from(self, (x, y): Cell, steps: usize) -> Option<Cell> {
        Some(match self {
            Direction::North => (x, y.checked_sub(steps)?),
            Direction::East => (x + steps, y),
            Direction::South => (x, y + steps),
            Direction::West => (x.checked_sub(steps)?, y),
        })
    }
}

/// What a cell is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Wall,
    Floor,
    Key,
    Exit,
}

/// A world; it never changes.
#[derive(Debug)]
pub struct World {
    pub seed: u32,
    pub size: usize,
    open: Vec<bool>,
    pub start: Cell,
    pub key: Cell,
    pub exit: Cell,
}

impl World {
    /// The world of a seed, if a world can have this size.
    pub fn new(seed: u32, size: usize) -> Option<Self> {
        if !SIZES.contains(&size) {
            return None;
        }
        let mut world = World {
            seed,
            size,
            open: vec![false; size * size],
            start: (1, 1),
            key: (1, 1),
            exit: (1, 1),
        };
        let mut random = Random(u64::from(seed));
        world.dig(&mut random);
        let from_start = world.distances(world.start);
        world.exit = world.farthest(|cell| world.at(&from_start, cell));
        let from_exit = world.distances(world.exit);
        world.key = world.farthest(|cell| world.at(&from_start, cell).min(world.at(&from_exit, cell)));
        Some(world)
    }

    /// What is in a cell; outside the world there are walls.
    pub fn kind(&self, cell: Cell) -> Kind {
        if !self.is_open(cell) {
            Kind::Wall
        } else if cell == self.key {
            Kind::Key
        } else if cell == self.exit {
            Kind::Exit
        } else {
            Kind::Floor
        }
    }

    /// The cell in a direction, unless a wall is there.
    pub fn step(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        direction.from(cell, 1).filter(|next| self.is_open(*next))
    }

    fn index(&self, (x, y): Cell) -> Option<usize> {
        (x < self.size && y < self.size).then_some(y * self.size + x)
    }

    fn is_open(&self, cell: Cell) -> bool {
        self.index(cell)
            .and_then(|index| self.open.get(index).copied())
            .unwrap_or(false)
    }

    fn open(&mut self, cell: Cell) {
        if let Some(place) = self.index(cell).and_then(|index| self.open.get_mut(index)) {
            *place = true;
        }
    }

    /// A maze by depth-first search over the odd cells, then a few more doors, so that there is more than one way.
    fn dig(&mut self, random: &mut Random) {
        let mut path = vec![self.start];
        self.open(self.start);
        while let Some(&cell) = path.last() {
            let closed: Vec<(Cell, Cell)> = Direction::ALL
                .into_iter()
                .filter_map(|direction| Some((direction.from(cell, 1)?, direction.from(cell, 2)?)))
                .filter(|(_, next)| self.index(*next).is_some() && !self.is_open(*next))
                .collect();
            match random.one_of(&closed) {
                Some(&(between, next)) => {
                    self.open(between);
                    self.open(next);
                    path.push(next);
                }
                None => drop(path.pop()),
            }
        }
        for _ in 0..self.size {
            let (x, y) = (1 + random.below(self.size - 2), 1 + random.below(self.size - 2));
            // Between two cells of the maze, where one coordinate is even.
            if (x + y) % 2 == 1 {
                self.open((x, y));
            }
        }
    }

    /// Steps from a cell to each; what cannot be reached is farthest.
    fn distances(&self, from: Cell) -> Vec<usize> {
        let mut distances = vec![usize::MAX; self.open.len()];
        let mut edge = vec![from];
        for steps in 0.. {
            let mut next = Vec::new();
            for cell in edge {
                let Some(place) = self.index(cell).and_then(|index| distances.get_mut(index)) else {
                    continue;
                };
                if *place > steps {
                    *place = steps;
                    next.extend(Direction::ALL.iter().filter_map(|way| self.step(cell, *way)));
                }
            }
            if next.is_empty() {
                break;
            }
            edge = next;
        }
        distances
    }

    fn at(&self, distances: &[usize], cell: Cell) -> usize {
        self.index(cell)
            .and_then(|index| distances.get(index).copied())
            .unwrap_or(0)
    }

    /// The open cell with the highest measure, the last of equals.
    fn farthest(&self, measure: impl Fn(Cell) -> usize) -> Cell {
        let cells = (0..self.size).flat_map(|y| (0..self.size).map(move |x| (x, y)));
        cells
            .filter(|cell| self.is_open(*cell))
            .max_by_key(|cell| measure(*cell))
            .unwrap_or(self.start)
    }
}

/// `SplitMix64` (Steele, Lea and Flood, 2014): the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, by which the remainder of a far larger one is hardly uneven.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            return None;
        }
        items.get(self.below(items.len()))
    }
}
