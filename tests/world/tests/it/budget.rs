//! What a charge costs on the queue's path, in requests counted.

use effect::minutes;

use crate::bench::{Bench, Call, DECLINED, Tally, VISA, charge};

#[test]
fn a_happy_charge_is_two_writes_and_one_provider_call() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_tally(), Tally { writes: 2, refused: 0, loads: 0 });
    assert_eq!(bench.take_calls(), ["create"]);
    let due: Vec<_> = bench.stream().into_iter().filter_map(|record| record.due_at).collect();
    assert!(due.is_empty(), "and no write touches the due index");
}

#[test]
fn a_duplicate_is_one_refused_write_and_no_call() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_tally();
    bench.take_calls();
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_tally(), Tally { writes: 0, refused: 1, loads: 0 });
    assert!(bench.take_calls().is_empty());
}

#[test]
fn a_decline_with_its_void_is_three_writes_and_two_calls() {
    let bench = Bench::new();
    bench.deliver(&charge("1", DECLINED)).unwrap();
    assert_eq!(bench.take_tally(), Tally { writes: 3, refused: 0, loads: 0 });
    assert_eq!(bench.take_calls(), ["create", "cancel"]);
}

#[test]
fn a_lost_reply_costs_no_further_write_in_the_same_invocation() {
    let bench = Bench::new();
    bench.script_calls([Call::LosesReply]);
    bench.deliver(&charge("1", VISA)).unwrap();
    assert_eq!(bench.take_tally(), Tally { writes: 2, refused: 0, loads: 0 });
    assert_eq!(bench.take_calls(), ["create", "create"]);
}

#[test]
fn a_wake_that_settles_is_one_read_two_writes_and_one_call() {
    let bench = Bench::new();
    bench.script_calls([Call::TimesOut]);
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.take_tally();
    bench.take_calls();
    bench.pass(minutes(1));
    bench.wake();
    assert_eq!(bench.take_tally(), Tally { writes: 2, refused: 0, loads: 1 });
    assert_eq!(bench.take_calls(), ["create"]);
}
