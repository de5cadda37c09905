//! A charge of the sample order, made by the real loop over a table and a provider in memory.

use std::cell::RefCell;

use effect::{Fact, Frozen, Outcome, ProviderKey, Rules, Time, seconds};
use payment::{
    Account, Command, Converged, Invocation, Limits, PaymentId, Record, Settings, converge,
    ports::{
        Answer, Clock, Expected, Ledger, LoadError, NoCredentials, Processor, Question, Request, SaveError,
    },
};
use serde_json::Value;

const NOW: Time = Time(1_796_030_103_204);

#[derive(Default)]
struct Table(RefCell<Option<Record>>);

impl Ledger for Table {
    async fn load(&self, _id: &PaymentId) -> Result<Option<Record>, LoadError> {
        Ok(self.0.borrow().clone())
    }

    async fn save(&self, expected: Option<&Record>, next: &Record) -> Result<(), SaveError> {
        assert_eq!(self.0.borrow().as_ref(), expected, "nobody else writes");
        *self.0.borrow_mut() = Some(next.clone());
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
        let fact = Fact { id: "pi_3SampleOfOnce".to_owned(), outcome: Some(Outcome::Succeeded) };
        Answer { facts: vec![fact], note: None }
    }

    async fn look_up(&self, _question: &Question) -> Answer {
        panic!("a happy charge asks nothing")
    }
}

struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> Time {
        NOW
    }
}

/// Returns the record after the last write of the sample charge.
pub(crate) async fn captured() -> Record {
    let batch: Value = serde_json::from_str(include_str!("../../../../events/settle-charge.json")).unwrap();
    let command = Command::parse(batch["Records"][0]["body"].as_str().unwrap()).unwrap();
    let settings = Settings {
        stack: "ikkai".to_owned(),
        rules: Rules::production(),
        limits: Limits { provider_timeout_ms: seconds(20), write_margin_ms: seconds(3) },
        conflicts: 5,
    };
    let invocation = Invocation {
        token: "c0ffee".to_owned(),
        deadline: NOW.plus_ms(seconds(60)),
        jitter_per_mille: 0,
        is_first_receive: true,
    };
    let table = Table::default();
    let converged =
        converge(&table, &Provider, &StandingClock, &settings, &invocation, &command).await.unwrap();
    assert_eq!(converged, Converged::Recorded);
    table.0.into_inner().unwrap()
}
