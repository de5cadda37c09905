//! Names and what must never be one; sizes and shards.

use payment::{
    Kind, MAX_COMMAND_BYTES, OperationKey, OrderId, PaymentId, SHARDS, looks_like_a_card_number,
    ports::{BUS_MAX_BYTES, BUS_MAX_ENTRIES, BusEntry},
};
use proptest::prelude::*;

/// Prefix, length, and whether a number that begins like that and passes the Luhn check is a card's.
const ISSUERS: [(&str, usize, bool); 58] = [
    ("4", 12, false),
    ("4", 13, true),
    ("5", 13, false),
    ("36", 14, true),
    ("37", 14, false),
    ("38", 14, true),
    ("39", 14, true),
    ("299", 14, false),
    ("300", 14, true),
    ("305", 14, true),
    ("306", 14, false),
    ("4", 14, false),
    ("33", 15, false),
    ("34", 15, true),
    ("35", 15, false),
    ("37", 15, true),
    ("38", 15, false),
    ("4", 15, false),
    ("4", 16, true),
    ("50", 16, false),
    ("51", 16, true),
    ("55", 16, true),
    ("56", 16, false),
    ("61", 16, false),
    ("62", 16, true),
    ("63", 16, false),
    ("643", 16, false),
    ("644", 16, true),
    ("649", 16, true),
    ("65", 16, true),
    ("66", 16, false),
    ("2220", 16, false),
    ("2221", 16, true),
    ("2720", 16, true),
    ("2721", 16, false),
    ("3527", 16, false),
    ("3528", 16, true),
    ("3589", 16, true),
    ("3590", 16, false),
    ("6010", 16, false),
    ("6011", 16, true),
    ("6012", 16, false),
    ("62", 17, true),
    ("4", 17, false),
    ("62", 18, true),
    ("63", 18, false),
    ("4", 18, false),
    ("4", 19, true),
    ("5", 19, false),
    ("62", 19, true),
    ("65", 19, true),
    ("3527", 19, false),
    ("3528", 19, true),
    ("3589", 19, true),
    ("3590", 19, false),
    ("6011", 19, true),
    ("6012", 19, false),
    ("4", 20, false),
];

/// The digit that makes a number pass the Luhn check.
fn check_digit(digits: &str) -> u32 {
    const DOUBLED: [u32; 10] = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
    let values = digits.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = values.enumerate().map(|(n, d)| if n % 2 == 0 { DOUBLED[d as usize] } else { d }).sum();
    (10 - sum % 10) % 10
}

/// A number with a prefix, of a length, whose check digit is right, or so much off.
fn number(prefix: &str, length: usize, filling: &str, off: u32) -> String {
    let mut digits: String = prefix.chars().chain(filling.chars().cycle()).take(length - 1).collect();
    let check = (check_digit(&digits) + off) % 10;
    digits.push_str(&check.to_string());
    digits
}

#[test]
fn a_card_number_is_known_by_its_issuers_prefix_and_length_and_its_check_digit() {
    for (prefix, length, is_card) in ISSUERS {
        for filling in ["0", "9", "1928374650", "5678"] {
            let right = number(prefix, length, filling, 0);
            assert_eq!(looks_like_a_card_number(&right), is_card, "{right}");
            for off in 1..10 {
                let wrong = number(prefix, length, filling, off);
                assert!(!looks_like_a_card_number(&wrong), "{wrong}");
            }
        }
    }
}

#[test]
fn a_card_number_is_found_wherever_it_stands_and_however_a_card_groups_it() {
    let long = number("6011", 19, "1928374650", 0);
    let found = [
        "x4242424242424242y".to_owned(),
        "1 4242424242424242 1".to_owned(),
        "4242 4242 4242 4242".to_owned(),
        "4242-4242 4242-4242".to_owned(),
        "4242--4242--4242--4242".to_owned(),
        "1 22 3782 822463 10005".to_owned(),
        "1-22-333-3782-822463-10005-1".to_owned(),
        "3622 720627 1667".to_owned(),
        format!("{} {} {} {} {}", &long[..4], &long[4..8], &long[8..12], &long[12..16], &long[16..]),
        "a:4242424242424243:4242424242424242".to_owned(),
    ];
    for text in found {
        assert!(looks_like_a_card_number(&text), "{text}");
    }
    let no_card = [
        "42-424242-42424242",
        "42 4242 4242 4242 42",
        "4242-4242-4242-4243",
        "4242x4242x4242x4242",
        "4242.4242.4242.4242",
        "424242424242 4242",
        "42424242424242424242",
        "",
    ];
    for text in no_card {
        assert!(!looks_like_a_card_number(text), "{text}");
    }
}

proptest! {
    #[test]
    fn what_has_fewer_than_thirteen_digits_is_no_card_number(text in "([a-z -]?[0-9]){0,12}") {
        prop_assert!(!looks_like_a_card_number(&text));
    }
}

#[test]
fn a_payments_shard_is_its_last_digit_by_eights() {
    for (last, shard) in "0123456789abcdef".chars().zip((0..8).chain(0..8)) {
        let id: PaymentId = format!("pay_{}{last}", "0".repeat(31)).parse().unwrap();
        assert_eq!(id.shard(), shard, "{id}");
    }
    assert_eq!(SHARDS, 8);
}

// The identity of a payment in one release is the one in the next, or an order is paid twice.
#[test]
fn a_payments_identity_is_the_same_in_every_release() {
    let order: OrderId = "o-1".parse().unwrap();
    let id = PaymentId::of(&"shop".parse().unwrap(), &order);
    assert_eq!(id.as_str(), "pay_b2af2315289170b1c4002702de769eca");
    let charge = OperationKey::charge("1".parse().unwrap());
    let void = OperationKey::void_of(&charge);
    assert_eq!(charge.id(&id), "pay_b2af2315289170b1c4002702de769eca/charge/1");
    assert_eq!(void.id(&id), "pay_b2af2315289170b1c4002702de769eca/void/1");
    assert_eq!((Kind::Charge.as_str(), Kind::Void.as_str()), ("charge", "void"));
    for key in [charge, void] {
        assert_eq!(OperationKey::try_from(String::from(key.clone())), Ok(key));
    }
}

#[test]
fn sizes_are_what_the_services_allow() {
    let entry = BusEntry { id: "x".repeat(99), detail_type: "PaymentFailed", detail: "d".repeat(1_000) };
    assert_eq!(entry.size_bytes(), 1_000 + 13 + 14 + 256);
    assert_eq!((BUS_MAX_ENTRIES, BUS_MAX_BYTES, MAX_COMMAND_BYTES), (10, 262_144, 16_384));
}
