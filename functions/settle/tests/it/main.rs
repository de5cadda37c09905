//! The sample batches are ones that `settle` takes: the charge is made, and the wake finds nothing left to do.

use std::cell::RefCell;

use aws_lambda_events::sqs::SqsEvent;
use effect::{Fact, Frozen, Outcome, ProviderKey, Rules, Time, seconds};
use payment::{
    Account, Limits, PaymentId, PaymentState, Record, Settings,
    ports::{
        Answer, Clock, DeadLetter, DeadLetters, Expected, Ledger, LoadError, NoCredentials, Processor,
        Question, Randomness, Request, SaveError, SendError,
    },
};
use settle::Settle;

const NOW: Time = Time(1_796_030_103_204);

#[derive(Default)]
struct Table {
    record: RefCell<Option<Record>>,
    writes: RefCell<u32>,
}

impl Ledger for Table {
    async fn load(&self, _id: &PaymentId) -> Result<Option<Record>, LoadError> {
        Ok(self.record.borrow().clone())
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        let mut record = self.record.borrow_mut();
        if record.as_ref() != expected {
            return Err(SaveError::Conflict(record.clone().map(Box::new)));
        }
        *record = Some(next.clone());
        *self.writes.borrow_mut() += 1;
        Ok(())
    }
}

struct Provider;

impl Processor for Provider {
    async fn account(&self) -> Result<Account, NoCredentials> {
        Ok(Account { id: "acct_sim".to_owned(), live: false })
    }

    fn prepare(&self, request: &Request, operation_id: &str, key: ProviderKey) -> Frozen {
        stripe_wire::prepare(request, operation_id, key)
    }

    async fn send(&self, _frozen: &Frozen, _expected: &Expected) -> Answer {
        Answer { facts: vec![Fact { id: "pi_1".to_owned(), outcome: Some(Outcome::Succeeded) }], note: None }
    }

    async fn look_up(&self, _question: &Question) -> Answer {
        panic!("a happy charge asks nothing")
    }
}

/// A dead-letter queue that nothing may reach.
struct Nothing;

impl DeadLetters for Nothing {
    async fn set_aside(&self, letter: &DeadLetter) -> Result<(), SendError> {
        panic!("set aside: {}", letter.reason)
    }
}

struct Fixed;

impl Clock for Fixed {
    fn now(&self) -> Time {
        NOW
    }
}

impl Randomness for Fixed {
    fn jitter_per_mille(&self) -> u16 {
        0
    }

    fn token(&self) -> String {
        "c0ffee".to_owned()
    }
}

#[tokio::test]
async fn the_sample_batches_are_taken() {
    let settle = Settle {
        ledger: Table::default(),
        processor: Provider,
        dead_letters: Nothing,
        clock: Fixed,
        randomness: Fixed,
        settings: Settings {
            stack: "ikkai".to_owned(),
            rules: Rules::production(),
            limits: Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) },
            conflicts: 5,
        },
    };
    let charge = include_str!("../../../../events/settle-charge.json");
    let wake = include_str!("../../../../events/settle-wake.json");
    // Twice, as the queue may deliver it.
    for (sample, writes) in [(charge, 2), (charge, 2), (wake, 2)] {
        let event: SqsEvent = serde_json::from_str(sample).unwrap();
        let response = settle.handle(event, NOW.plus_ms(seconds(60))).await.unwrap();
        assert!(response.batch_item_failures.is_empty());
        assert_eq!(*settle.ledger.writes.borrow(), writes);
    }
    let record = settle.ledger.record.borrow().clone().unwrap();
    assert_eq!(record.payment.state(), PaymentState::Captured);
    assert_eq!(record.payment.order.as_str(), "o-1001");
}
