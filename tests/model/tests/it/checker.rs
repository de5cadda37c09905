//! The checker itself, on a puzzle whose answer is known.

use model::{Model, Property, explore};

/// Two jugs of 3 and 5 litres, a tap and a drain.
struct Jugs;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Pour {
    Fill(usize),
    Empty(usize),
    Over(usize),
}

const SIZES: [u8; 2] = [3, 5];

impl Model for Jugs {
    type State = [u8; 2];
    type Action = Pour;

    fn initial(&self) -> [u8; 2] {
        [0, 0]
    }

    fn actions(&self, _: &[u8; 2], actions: &mut Vec<Pour>) {
        for jug in [0, 1] {
            actions.extend([Pour::Fill(jug), Pour::Empty(jug), Pour::Over(jug)]);
        }
    }

    fn next(&self, jugs: &[u8; 2], pour: Pour) -> [u8; 2] {
        let mut next = *jugs;
        match pour {
            Pour::Fill(jug) => next[jug] = SIZES[jug],
            Pour::Empty(jug) => next[jug] = 0,
            Pour::Over(jug) => {
                let room = SIZES[1 - jug] - jugs[1 - jug];
                let moved = room.min(jugs[jug]);
                next[jug] -= moved;
                next[1 - jug] += moved;
            }
        }
        next
    }

    fn describe(&self, jugs: &[u8; 2]) -> String {
        format!("{jugs:?}")
    }
}

#[test]
fn a_counterexample_is_a_shortest_one() {
    let never_four = [Property {
        name: "no jug holds 4 litres",
        is_of_state: true,
        holds: |_: &Jugs, _, _, jugs| jugs[1] != 4,
    }];
    let broken = explore(&Jugs, &never_four, &[]).broken.unwrap();
    assert_eq!(broken.trace.len() - 1, 6, "{:?}", broken.trace);
}

#[test]
fn every_state_is_reached_once_and_every_step_is_judged() {
    let some_jug_overflows =
        [Property { name: "a jug overflows", is_of_state: true, holds: |_: &Jugs, _, _, jugs| jugs[0] > 3 }];
    let report = explore(&Jugs, &[], &some_jug_overflows);
    // Of 24 fillings, those with a jug full or empty can be reached.
    assert_eq!((report.states, report.steps, report.depth), (16, 16 * 6, 7));
    assert_eq!(report.never_seen, ["a jug overflows"]);
    assert!(report.broken.is_none());
}
