//! Properties of the records that histories leave: what one write may change, and what it announces.

use std::collections::{BTreeMap, BTreeSet};

use effect::Standing;
use payment::{Kind, OperationKey, Record, announced};
use proptest::prelude::*;

use crate::{
    histories::{histories, records},
    properties::config,
};

const fn outcome_of(kind: Kind, standing: Standing) -> Option<&'static str> {
    match (kind, standing) {
        (Kind::Void, _) | (_, Standing::Pending | Standing::Unknown) => None,
        (_, Standing::Refused) => Some("refused"),
        (_, Standing::Failed) => Some("failed"),
        (Kind::Charge, Standing::Authorized) => Some("authorized"),
        (Kind::Charge | Kind::Refund, Standing::Succeeded) => Some("succeeded"),
        (Kind::Charge | Kind::Refund, Standing::Canceled) => Some("canceled"),
        (Kind::Capture | Kind::Cancel, Standing::Succeeded | Standing::Canceled) => None,
        (Kind::Capture | Kind::Cancel | Kind::Refund, Standing::Authorized) => None,
    }
}

const fn rank(kind: Kind, standing: Standing) -> u8 {
    match kind {
        Kind::Refund => standing.refund_rank(),
        Kind::Charge | Kind::Capture | Kind::Cancel | Kind::Void => standing.rank(),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn each_outcome_is_announced_once_and_none_is_left_out(history in histories()) {
        let records = records(&history);
        let mut seen = BTreeSet::new();
        for record in &records {
            let events = announced(record);
            let names = record.announce.as_deref().unwrap_or_default().split(' ').filter(|name| !name.is_empty());
            prop_assert_eq!(events.len(), names.count(), "every name is an event");
            for event in events {
                prop_assert_eq!(&event.detail["metadata"]["sequence"], record.version);
                prop_assert!(seen.insert(event.id.clone()), "{} is announced twice", event.id);
            }
            for (key, operation) in &record.payment.operations {
                let became_a_refund = operation.attempt.code.as_deref() == Some(payment::REFUNDED_INSTEAD);
                let is_our_own = key.is_reserved() && key.kind != Kind::Refund;
                let Some(outcome) = outcome_of(key.kind, operation.attempt.standing) else { continue };
                let id = format!("{}:{outcome}", key.id(&record.id));
                let is_silent = is_our_own || became_a_refund;
                prop_assert_eq!(seen.contains(&id), !is_silent, "{} at version {}", id, record.version);
            }
        }
    }

    #[test]
    fn a_record_written_and_read_is_the_same_record(history in histories()) {
        for record in records(&history) {
            let text = serde_json::to_string(&record).unwrap();
            prop_assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        }
    }

    #[test]
    fn no_step_lowers_a_standing_or_loses_an_operation(history in histories()) {
        let mut ranks: BTreeMap<OperationKey, u8> = BTreeMap::new();
        for record in records(&history) {
            for (key, held) in &ranks {
                let operation = record.payment.operations.get(key);
                let rank = operation.map(|op| rank(key.kind, op.attempt.standing));
                prop_assert!(rank.is_some_and(|rank| rank >= *held), "{} fell", key);
            }
            let all = record.payment.operations.iter();
            ranks = all.map(|(key, op)| (key.clone(), rank(key.kind, op.attempt.standing))).collect();
        }
    }

    #[test]
    fn a_write_changes_the_state_only_as_the_table_of_transitions_allows(history in histories()) {
        for pair in records(&history).windows(2) {
            let (before, after) = (pair[0].payment.state(), pair[1].payment.state());
            prop_assert!(before.may_become(after), "{:?} to {:?}", before, after);
        }
    }
}
