//! Field case G1: the table's stream to the event bus, through the real handler with real stream events.

use payment::{Record, announced};

use crate::bench::{Bench, Put, VISA, charge, of_order, publish_records, stream_record};

/// Charges `count` orders and returns the records that announce it, oldest first.
fn announcing(bench: &Bench, count: usize) -> Vec<Record> {
    for n in 0..count {
        bench.deliver(&of_order(&format!("o-{n}"), charge("1", VISA))).unwrap();
    }
    bench.stream().into_iter().filter(|record| record.announce.is_some()).collect()
}

fn numbered(records: &[Record]) -> Vec<aws_lambda_events::dynamodb::EventRecord> {
    records.iter().enumerate().map(|(n, record)| stream_record(&n.to_string(), record)).collect()
}

fn ids(records: &[Record]) -> Vec<String> {
    records.iter().flat_map(announced).map(|event| event.id).collect()
}

/// Makes the record's one event about `bytes` bytes long, of a character that takes three.
fn swell(record: &mut Record, bytes: usize) {
    for operation in record.payment.operations.values_mut() {
        operation.causation_id = Some("課".repeat(bytes / 3));
    }
}

#[test]
fn g1_eleven_rows_are_published_in_two_calls() {
    let bench = Bench::new();
    let records = announcing(&bench, 11);
    assert_eq!(publish_records(&bench, numbered(&records)), None);
    assert_eq!(bench.put_sizes(), [10, 1]);
    assert_eq!(bench.taken(), ids(&records));
}

#[test]
fn g1_a_partial_failure_at_index_4_starts_again_at_that_row() {
    let bench = Bench::new();
    let records = announcing(&bench, 11);
    bench.script_puts([Put::Refuses(4)]);
    assert_eq!(publish_records(&bench, numbered(&records)).as_deref(), Some("4"));
    assert_eq!(bench.put_sizes(), [10], "nothing is published beyond the failure");
    assert!(!bench.taken().contains(&ids(&records)[4]));
    // The stream gives everything from the checkpoint again; what was taken comes twice, under the same id.
    assert_eq!(publish_records(&bench, numbered(&records)[4..].to_vec()), None);
    let mut taken = bench.taken();
    taken.sort();
    taken.dedup();
    let mut all = ids(&records);
    all.sort();
    assert_eq!(taken, all);
}

#[test]
fn g1_a_failure_in_the_second_call_starts_again_there() {
    let bench = Bench::new();
    let records = announcing(&bench, 12);
    bench.script_puts([Put::Works, Put::Refuses(1)]);
    assert_eq!(publish_records(&bench, numbered(&records)).as_deref(), Some("11"));
    bench.script_puts([Put::Works, Put::Fails]);
    assert_eq!(publish_records(&bench, numbered(&records)).as_deref(), Some("10"));
    bench.script_puts([Put::Fails]);
    assert_eq!(publish_records(&bench, numbered(&records)).as_deref(), Some("0"));
}

#[test]
fn g1_no_failed_entry_is_success() {
    let bench = Bench::new();
    let records = announcing(&bench, 3);
    bench.script_puts([Put::Works]);
    assert_eq!(publish_records(&bench, numbered(&records)), None);
    assert_eq!(bench.taken().len(), 3);
}

#[test]
fn g1_an_oversize_row_is_quarantined_and_blocks_nobody() {
    let bench = Bench::new();
    let mut records = announcing(&bench, 3);
    swell(&mut records[1], 300_000);
    assert_eq!(publish_records(&bench, numbered(&records)), None);
    assert_eq!(bench.taken(), [ids(&records)[0].clone(), ids(&records)[2].clone()]);
    let letters = bench.dead_letters();
    assert_eq!(letters.len(), 1);
    assert_eq!((letters[0].source_id.as_str(), letters[0].group.as_str()), ("1", records[1].id.as_str()));
    assert!(letters[0].body.len() > 256 * 1024, "the event itself is kept");
}

#[test]
fn g1_a_row_that_cannot_be_quarantined_comes_again_after_those_before_it() {
    let bench = Bench::new();
    let mut records = announcing(&bench, 3);
    swell(&mut records[1], 300_000);
    bench.refuse_dead_letters();
    assert_eq!(publish_records(&bench, numbered(&records)).as_deref(), Some("1"));
    assert_eq!(bench.taken(), ids(&records[..1]), "the row before it is out");
}

#[test]
fn g1_three_rows_of_100_kilobytes_take_two_calls() {
    let bench = Bench::new();
    let mut records = announcing(&bench, 3);
    records.iter_mut().for_each(|record| swell(record, 100_000));
    assert_eq!(publish_records(&bench, numbered(&records)), None);
    assert_eq!(bench.put_sizes(), [2, 1]);
    assert_eq!(bench.taken(), ids(&records));
}

#[test]
fn g1_size_is_counted_in_bytes_and_not_in_characters() {
    let bench = Bench::new();
    let mut records = announcing(&bench, 2);
    // 50,000 characters each: together less than the limit in characters, and more in bytes.
    records.iter_mut().for_each(|record| swell(record, 150_000));
    assert_eq!(publish_records(&bench, numbered(&records)), None);
    assert_eq!(bench.put_sizes(), [1, 1]);
}

#[test]
fn g1_a_row_that_cannot_be_read_is_quarantined_and_one_that_announces_nothing_is_passed_over() {
    let bench = Bench::new();
    let records = announcing(&bench, 2);
    let mut unreadable = stream_record("7", &records[0]);
    unreadable.change.new_image =
        serde_dynamo::to_item(std::collections::BTreeMap::from([("announce", "x"), ("pk", "y")])).unwrap();
    let silent = Record { announce: None, ..records[0].clone() };
    let batch = vec![unreadable, stream_record("8", &silent), stream_record("9", &records[1])];
    assert_eq!(publish_records(&bench, batch), None);
    assert_eq!(bench.taken(), ids(&records[1..]));
    assert_eq!(bench.dead_letters()[0].source_id, "7");
}

#[test]
fn g1_what_a_write_announces_is_published_once_and_the_next_write_announces_it_no_more() {
    let bench = Bench::new();
    bench.deliver(&charge("1", VISA)).unwrap();
    bench.deliver(&charge("2", VISA)).unwrap();
    let stream = bench.stream();
    assert_eq!(publish_records(&bench, numbered(&stream)), None);
    let payment_id = charge("1", VISA).payment_id();
    assert_eq!(
        bench.taken(),
        [format!("{payment_id}/charge/1:succeeded"), format!("{payment_id}/charge/2:refused")]
    );
}
