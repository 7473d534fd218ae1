//! The grid world of the example: worlds that can be solved, walks that can be kept, and agents over real sockets.
//!
//! It refuses to know the way: its agents explore. The test runner calls it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test all of it: what is not as expected must fail, with its words"
)]

#[path = "../examples/grid/endpoint.rs"]
mod endpoint;
#[path = "grid/player.rs"]
mod player;
#[path = "../examples/grid/walk.rs"]
mod walk;
#[path = "../examples/grid/world.rs"]
mod world;

use agent_surface_interop::environment::Action;
use agent_surface_interop::{Error, Exact, Status};
use player::{Player, Server, exact};
use walk::{Event, MAX_ACTIONS, Stop, Walk};
use world::{Cell, Direction, Kind, SIZES, World};

/// Steps from one cell to another, around a third.
fn way(world: &World, from: Cell, to: Cell, around: Cell) -> Vec<Direction> {
    let mut seen = vec![from];
    let mut edge = vec![(from, Vec::new())];
    while !edge.is_empty() {
        let mut next = Vec::new();
        for (cell, steps) in edge {
            if cell == to {
                return steps;
            }
            for direction in Direction::ALL {
                let Some(there) = world.step(cell, direction).filter(|cell| !seen.contains(cell)) else {
                    continue;
                };
                if there != around {
                    seen.push(there);
                    next.push((there, [steps.clone(), vec![direction]].concat()));
                }
            }
        }
        edge = next;
    }
    panic!("no way from {from:?} to {to:?} in {world:?}");
}

#[test]
fn every_world_can_be_solved_and_is_the_same_for_the_same_seed() {
    for size in SIZES {
        for seed in [0, 1, 7, 42, u32::MAX] {
            let world = World::new(seed, size).unwrap();
            assert_eq!(
                format!("{world:?}"),
                format!("{:?}", World::new(seed, size).unwrap())
            );
            assert_eq!(
                (world.kind(world.key), world.kind(world.exit)),
                (Kind::Key, Kind::Exit)
            );
            let mut walk = Walk::new(seed, size).unwrap();
            let steps = [
                way(&world, world.start, world.key, world.exit),
                way(&world, world.key, world.exit, (0, 0)),
            ]
            .concat();
            let events: Vec<Event> = steps.iter().map(|step| walk.act(*step).unwrap()).collect();
            assert_eq!(
                events.iter().filter(|event| **event == Event::KeyTaken).count(),
                1
            );
            assert_eq!(events.last(), Some(&Event::ExitReached), "{seed} {size}");
            assert_eq!(walk.act(Direction::North), Err(Stop::Finished));
        }
    }
    assert!(World::new(1, 10).is_none());
    assert_ne!(
        format!("{:?}", World::new(1, 13).unwrap()),
        format!("{:?}", World::new(2, 13).unwrap())
    );
}

#[test]
fn the_exit_is_locked_without_the_key_and_a_wall_is_a_wall() {
    let world = World::new(7, 13).unwrap();
    let mut walk = Walk::new(7, 13).unwrap();
    assert_eq!(walk.act(Direction::North), Ok(Event::Bumped));
    let steps = way(&world, world.start, world.exit, world.key);
    let events: Vec<Event> = steps.iter().map(|step| walk.act(*step).unwrap()).collect();
    let (last, before) = events.split_last().unwrap();
    assert_eq!(*last, Event::ExitLocked);
    assert!(before.iter().all(|event| *event == Event::Moved));
    assert!(walk.observation(0).contains("\"isDone\":false"));
}

#[test]
fn a_walk_ends_after_its_last_action_and_its_snapshot_is_still_taken() {
    let mut walk = Walk::new(7, 9).unwrap();
    for _ in 0..MAX_ACTIONS {
        walk.act(Direction::North).unwrap();
    }
    assert_eq!(walk.act(Direction::North), Err(Stop::OutOfActions));
    let kept = exact(&walk.snapshot());
    let again = Walk::restore(kept.value()).unwrap();
    assert_eq!(again.observation(0), walk.observation(0));
}

#[test]
fn a_snapshot_that_was_changed_leads_nowhere() {
    let world = World::new(7, 13).unwrap();
    let mut walk = Walk::new(7, 13).unwrap();
    let steps = way(&world, world.start, world.key, world.exit);
    for step in &steps {
        walk.act(*step).unwrap();
    }
    let snapshot = walk.snapshot();
    assert!(Walk::restore(exact(&snapshot).value()).is_some());
    for (from, to) in [
        ("\"seed\":7", "\"seed\":8"),
        ("\"size\":13", "\"size\":17"),
        ("\"actions\":\"", "\"actions\":\"N"),
        ("\"actions\":\"", "\"actions\":\"x"),
        ("sha256:", "sha256:0"),
        ("\"size\":13", "\"size\":10"),
    ] {
        let forged = exact(&snapshot.replacen(from, to, 1));
        assert_ne!(forged.text(), exact(&snapshot).text());
        assert!(Walk::restore(forged.value()).is_none(), "{forged:?}");
    }
}

#[test]
fn an_agent_resets_observes_acts_keeps_goes_back_and_ends() {
    let server = Server::start(8);
    let mut player = Player::new(&server, [1; 32]);
    let reset = exact("{\"seed\":7,\"size\":13}");
    let begun = player.call("walk:1", &Action::Reset(&reset), 1).unwrap();
    assert_eq!(begun.reason_code().as_str(), "grid:reset");
    assert_eq!(
        begun.payload().member("world").unwrap().text(),
        "{\"maxActions\":1000,\"seed\":7,\"size\":13}"
    );
    let world = World::new(7, 13).unwrap();
    let step = |way: Direction| exact(&format!("{{\"move\":\"{}\"}}", way.name()));
    let steps = way(&world, world.start, world.key, world.exit);
    let (first, others) = steps.split_first().unwrap();
    let moved = player.call("walk:1", &Action::Act(&step(*first)), 2).unwrap();
    assert_eq!(moved.payload().member("reward").unwrap().text(), "-0.01");
    // An exact retry is one step, not two.
    let retried = player.call("walk:1", &Action::Act(&step(*first)), 2).unwrap();
    assert_eq!(retried.text(), moved.text());
    let kept = player.call("walk:1", &Action::Snapshot, 3).unwrap();
    let mut last = moved;
    for (at, way) in others.iter().enumerate() {
        last = player
            .call("walk:1", &Action::Act(&step(*way)), 10 + at as u64)
            .unwrap();
    }
    assert_eq!(last.reason_code().as_str(), "grid:key-taken");
    let seen = player.call("walk:1", &Action::Observe("1"), 400).unwrap();
    assert_eq!(
        seen.payload().member("events").unwrap().value().len(),
        others.len()
    );
    assert_eq!(seen.payload().member("hasKey").unwrap().text(), "true");
    let back = player
        .call("walk:1", &Action::Restore(kept.payload()), 401)
        .unwrap();
    assert_eq!(back.payload().member("tick").unwrap().text(), "1");
    assert_eq!(back.payload().member("hasKey").unwrap().text(), "false");
    let forged = exact(&kept.payload().text().replacen("\"seed\":7", "\"seed\":8", 1));
    let refused = player.call("walk:1", &Action::Restore(&forged), 402).unwrap();
    assert_eq!(
        (refused.status(), refused.reason_code().as_str()),
        (Status::Refused, "grid:other-snapshot")
    );
    let ended = player.call("walk:1", &Action::Close, 403).unwrap();
    assert_eq!(ended.payload().text(), "{\"closed\":true}");
    let gone = player.call("walk:1", &Action::Observe("0"), 404);
    assert_eq!(gone, Err(Error::NotCompleted("grid:no-session".to_owned())));
}

#[test]
fn a_payload_of_another_operation_is_refused_and_one_of_none_is_malformed() {
    let server = Server::start(8);
    let mut player = Player::new(&server, [1; 32]);
    let reset = exact("{\"seed\":7,\"size\":13}");
    player.call("walk:1", &Action::Reset(&reset), 1).unwrap();
    let refused = player.call("walk:1", &Action::Reset(&exact("{}")), 2).unwrap();
    assert_eq!(refused.reason_code().as_str(), "grid:other-payload");
    let refused = player.call("walk:1", &Action::Act(&exact("{}")), 3);
    assert_eq!(refused, Err(Error::NotCompleted("grid:other-payload".to_owned())));
    let malformed = player.call("walk:1", &Action::Act(&exact("{\"move\":\"up\"}")), 4);
    assert_eq!(malformed, Err(Error::HttpStatus(400)));
}

#[test]
fn a_session_belongs_to_the_key_that_began_it_and_the_oldest_makes_room() {
    let server = Server::start(2);
    let mut first = Player::new(&server, [1; 32]);
    let mut second = Player::new(&server, [2; 32]);
    let reset = exact("{\"seed\":7,\"size\":13}");
    first.call("walk:1", &Action::Reset(&reset), 1).unwrap();
    let none = Err(Error::NotCompleted("grid:no-session".to_owned()));
    assert_eq!(second.call("walk:1", &Action::Observe("0"), 1), none);
    // Signed by another key than the one that the issuer's id is.
    second.signs_with([3; 32]);
    let rogue = second.call("walk:2", &Action::Reset(&reset), 2);
    assert_eq!(rogue, Err(Error::HttpStatus(401)));
    second.signs_with([2; 32]);
    second.call("walk:2", &Action::Reset(&reset), 3).unwrap();
    first.call("walk:1", &Action::Observe("0"), 2).unwrap();
    second.call("walk:3", &Action::Reset(&reset), 4).unwrap();
    assert_eq!(second.call("walk:2", &Action::Observe("0"), 5), none);
    first.call("walk:1", &Action::Observe("0"), 3).unwrap();
}

#[test]
fn only_pages_of_the_named_origin_may_call() {
    let server = Server::start(2);
    let ask = |origin: &str| server.status_for(origin);
    assert_eq!(ask("http://localhost:8080"), 200);
    assert_eq!(ask("http://localhost:8081"), 403);
    assert_eq!(ask("null"), 403);
}

#[test]
fn the_schemas_of_the_manifest_are_those_of_the_page() {
    let server = Server::start(2);
    let player = Player::new(&server, [1; 32]);
    for (member, file) in [("inputSchemaDigest", "input"), ("outputSchemaDigest", "output")] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/grid/schemas");
        let text = std::fs::read_to_string(format!("{folder}/{file}.json")).unwrap();
        let canonical = Exact::parse(text, usize::MAX).unwrap();
        let digest = agent_surface_json::hex(&agent_surface_json::sha256(canonical.text().as_bytes()));
        let found = player
            .manifest()
            .member(member)
            .unwrap()
            .as_str()
            .unwrap()
            .into_owned();
        assert_eq!(found, format!("sha256:{digest}"));
    }
}
