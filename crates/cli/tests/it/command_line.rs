//! The command line itself, as the built binary takes it.

use std::process::{Command, Output};

use clap::{CommandFactory, Parser};
use ikkai::args::Cli;

/// Runs the binary without any of the environment's settings.
fn ikkai(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ikkai"));
    command.args(arguments).env_clear();
    command
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

const CHARGE: [&str; 13] = [
    "charge",
    "--tenant",
    "shop",
    "--order",
    "o-1",
    "--amount",
    "500",
    "--currency",
    "jpy",
    "--customer",
    "cus_1",
    "--payment-method",
    "pm_card_visa",
];

#[test]
fn the_definition_is_sound() {
    Cli::command().debug_assert();
}

#[test]
fn a_payment_is_named_by_its_id_or_by_tenant_and_order() {
    let id = "pay_0123456789abcdef0123456789abcdef";
    for good in [vec!["show", id], vec!["show", "--tenant", "shop", "--order", "o-1", "--json"]] {
        assert!(Cli::try_parse_from([vec!["ikkai"], good.clone()].concat()).is_ok(), "{good:?}");
    }
    for bad in
        [vec!["show"], vec!["show", "--tenant", "shop"], vec!["show", id, "--tenant", "s", "--order", "o"]]
    {
        assert!(Cli::try_parse_from([vec!["ikkai"], bad.clone()].concat()).is_err(), "{bad:?}");
    }
    for bad in
        [vec!["watch"], vec!["watch", id, "--count", "2"], vec!["watch", "--file", "f", "--count", "2"]]
    {
        assert!(Cli::try_parse_from([vec!["ikkai"], bad.clone()].concat()).is_err(), "{bad:?}");
    }
}

#[test]
fn what_is_missing_is_named_with_its_flag_and_its_variable() {
    let output = ikkai(&CHARGE);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("--queue-url or set IKKAI_QUEUE_URL"), "{}", said(&output));
    let output = ikkai(&["show", "--tenant", "shop", "--order", "o-1"]);
    assert!(said(&output).contains("--table or set IKKAI_TABLE"), "{}", said(&output));
    let output = ikkai(&["show", "--tenant", "shop", "--order", "o-1", "--table", "t"]);
    assert!(said(&output).contains("AWS_REGION"), "{}", said(&output));
}

#[test]
fn a_card_number_typed_by_mistake_is_never_echoed() {
    let card = "4242424242424242";
    for arguments in
        [vec!["show", card], vec!["show", "--tenant", "shop", "--order", card], vec!["watch", card]]
    {
        let arguments = [arguments, vec!["--table", "t"]].concat();
        let aws = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map(|name| (name, "test"));
        let output = command(&arguments).envs(aws).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = said(&output);
        assert!(said.contains("must be") && !said.contains("4242"), "{said}");
    }
}
