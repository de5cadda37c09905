//! Tests of the secret's cache, over a store and a clock of their own.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use super::*;

#[derive(Clone, Default)]
struct Fake {
    now: Rc<Cell<i64>>,
    reads: Rc<Cell<u32>>,
    text: Rc<RefCell<Option<String>>>,
}

impl Fake {
    fn holding(api_key: &str, account: &str) -> Self {
        let fake = Self::default();
        fake.hold(api_key, account);
        fake
    }

    fn hold(&self, api_key: &str, account: &str) {
        let text = format!(r#"{{"api_key": "{api_key}", "account": "{account}", "livemode": false}}"#);
        *self.text.borrow_mut() = Some(text);
    }

    fn secret(&self) -> StripeSecret<Self, Self> {
        StripeSecret::new(self.clone(), self.clone(), "ikkai/stripe".to_owned())
    }

    fn pass(&self, ms: i64) {
        self.now.set(self.now.get() + ms);
    }
}

impl Clock for Fake {
    fn now(&self) -> Time {
        Time(self.now.get())
    }
}

impl SecretStore for Fake {
    async fn read(&self, name: &str) -> Result<String, &'static str> {
        assert_eq!(name, "ikkai/stripe");
        self.reads.set(self.reads.get() + 1);
        tokio::task::yield_now().await;
        self.text.borrow().clone().ok_or("there is no such secret")
    }
}

#[tokio::test]
async fn a_secret_is_read_once_for_many_calls_and_again_after_minutes() {
    let fake = Fake::holding("sk_test_1", "acct_1");
    let secret = fake.secret();
    let (first, second) = tokio::join!(secret.key(), secret.key());
    assert_eq!(first.unwrap().expose(), "sk_test_1");
    assert_eq!(second.unwrap().account().id, "acct_1");
    assert_eq!(fake.reads.get(), 1);
    fake.hold("sk_test_2", "acct_1");
    fake.pass(KEPT_MS - 1);
    assert_eq!(secret.key().await.unwrap().expose(), "sk_test_1");
    fake.pass(1);
    assert_eq!(secret.key().await.unwrap().expose(), "sk_test_2");
    assert_eq!(fake.reads.get(), 2);
}

#[tokio::test]
async fn a_refused_key_is_read_again_but_not_at_once() {
    let fake = Fake::holding("sk_test_1", "acct_1");
    let secret = fake.secret();
    let key = secret.key().await.unwrap();
    fake.hold("sk_test_2", "acct_1");
    for _ in 0..10 {
        secret.refused(&key).await;
        assert_eq!(secret.key().await.unwrap().expose(), "sk_test_1");
    }
    fake.pass(PAUSE_MS);
    assert_eq!(secret.key().await.unwrap().expose(), "sk_test_2");
    secret.refused(&key).await;
    fake.pass(PAUSE_MS);
    assert_eq!(secret.key().await.unwrap().expose(), "sk_test_2");
    assert_eq!(fake.reads.get(), 2, "a late refusal of the old key does not concern the new one");
}

#[tokio::test]
async fn a_missing_secret_is_not_asked_for_at_every_call() {
    let fake = Fake::default();
    let secret = fake.secret();
    assert_eq!(secret.key().await, Err(NoCredentials("there is no such secret")));
    assert!(secret.key().await.is_err());
    assert_eq!(fake.reads.get(), 1);
    fake.hold("sk_test_1", "acct_1");
    fake.pass(PAUSE_MS);
    assert!(secret.key().await.is_ok());
}

#[tokio::test]
async fn a_store_out_of_reach_does_not_end_the_use_of_a_key() {
    let fake = Fake::holding("sk_test_1", "acct_1");
    let secret = fake.secret();
    secret.key().await.unwrap();
    *fake.text.borrow_mut() = None;
    fake.pass(KEPT_MS);
    assert_eq!(secret.key().await.unwrap().expose(), "sk_test_1");
}

#[tokio::test]
async fn another_account_is_never_sent_to_by_a_turn_that_recorded_the_one_before() {
    let fake = Fake::holding("sk_test_1", "acct_1");
    let secret = fake.secret();
    secret.key().await.unwrap();
    fake.hold("sk_test_2", "acct_2");
    fake.pass(KEPT_MS);
    assert!(secret.key().await.is_err());
    fake.pass(SETTLING_MS - 1);
    assert!(secret.key().await.is_err());
    fake.pass(PAUSE_MS);
    assert_eq!(secret.key().await.unwrap().account().id, "acct_2");
}

#[tokio::test]
async fn a_change_of_account_that_is_taken_back_is_over_at_once() {
    let fake = Fake::holding("sk_test_1", "acct_1");
    let secret = fake.secret();
    secret.key().await.unwrap();
    fake.hold("sk_test_2", "acct_2");
    fake.pass(KEPT_MS);
    assert!(secret.key().await.is_err());
    fake.hold("sk_test_1", "acct_1");
    fake.pass(PAUSE_MS);
    assert_eq!(secret.key().await.unwrap().account().id, "acct_1");
}

#[test]
fn what_is_not_the_object_expected_is_refused_without_a_quote() {
    for wrong in [
        "sk_test_1",
        "{}",
        r#"{"api_key": "sk_test_1", "account": "acct_1"}"#,
        r#"{"api_key": "sk_test_1\n", "account": "acct_1", "livemode": false}"#,
        r#"{"api_key": "sk_test_1", "account": "", "livemode": false}"#,
        r#"{"api_key": "sk_test_1", "account": "acct_1", "livemode": true}"#,
        r#"{"api_key": "rk_live_1", "account": "acct_1", "livemode": false}"#,
    ] {
        let why = parse(wrong).unwrap_err();
        assert!(!why.contains("sk_") && !why.contains("acct_1"), "{why}");
    }
}

#[test]
fn nothing_prints_the_key() {
    let key = parse(r#"{"api_key": "sk_test_hidden", "account": "acct_1", "livemode": false}"#).unwrap();
    assert!(!format!("{key:?}").contains("hidden"));
    assert!(!format!("{:?}", Fake::default().secret()).contains("hidden"));
}
