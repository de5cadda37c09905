use proptest::prelude::*;

use super::*;
use crate::MAX_AMOUNT_MINOR;

fn charge(minor: u64, code: &str) -> Result<(), String> {
    check(minor, code, Amount::check_charge)
}

fn part(minor: u64, code: &str) -> Result<(), String> {
    check(minor, code, Amount::check_part)
}

fn check(
    minor: u64,
    code: &str,
    judge: fn(Amount, Currency) -> Result<(), InvalidMoney>,
) -> Result<(), String> {
    let amount = Amount::try_from(minor).map_err(|refusal| refusal.to_string())?;
    judge(amount, code.parse().unwrap()).map_err(|refusal| {
        assert!(["amount", "currency"].contains(&refusal.field()), "{refusal}");
        assert!(refusal.to_string().starts_with(refusal.field()), "{refusal}");
        refusal.to_string()
    })
}

#[test]
fn the_table_is_sorted_and_each_row_agrees_with_itself() {
    for pair in table::TABLE.windows(2) {
        assert!(pair[0].code < pair[1].code, "{} {}", pair[0].code, pair[1].code);
    }
    for row in table::TABLE {
        assert_eq!(row.code.parse::<Currency>().unwrap().rules(), Some(row), "{}", row.code);
        assert_eq!(row.code, row.code.to_ascii_lowercase());
        let steps: &[u64] = match row.exponent {
            0 => &[1],
            2 => &[1, 100],
            3 => &[10],
            _ => panic!("{}: {} decimals", row.code, row.exponent),
        };
        assert!(steps.contains(&row.step), "{}", row.code);
        assert!(row.minimum.is_none_or(|least| least.is_multiple_of(row.step) && least <= row.maximum));
        assert!((8..=12).any(|digits| row.maximum == 10_u64.pow(digits) - 1), "{}", row.code);
    }
    assert_eq!(table::TABLE.iter().map(|row| row.maximum).max(), Some(MAX_AMOUNT_MINOR));
}

#[test]
fn decimals_and_steps_are_those_of_the_page() {
    let of = |exponent, step| {
        let rows = table::TABLE.iter().filter(|row| (row.exponent, row.step) == (exponent, step));
        rows.map(|row| row.code).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(0, 1), "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf");
    assert_eq!(of(3, 10), "bhd jod kwd omr tnd");
    assert_eq!(of(2, 100), "isk ugx");
}

#[test]
fn minimums_and_maximums_are_those_of_the_page() {
    let minimums = "aed 200, ars 50, aud 50, bgn 100, brl 50, cad 50, chf 50, cop 50, czk 1500, dkk 250, eur 50, \
        gbp 30, hkd 400, huf 17500, idr 50, ils 50, inr 50, jpy 50, krw 50, mxn 1000, myr 200, nok 300, nzd 50, \
        php 50, pln 200, ron 200, rub 50, sek 300, sgd 50, thb 1000, usd 50, zar 50";
    let listed = table::TABLE.iter().filter_map(|row| Some(format!("{} {}", row.code, row.minimum?)));
    assert_eq!(listed.collect::<Vec<_>>().join(", "), minimums);
    let above = table::TABLE.iter().filter(|row| row.maximum != 99_999_999);
    let above: Vec<_> = above.map(|row| format!("{} {}", row.code, row.maximum)).collect();
    let maximums =
        "cop 9999999999, huf 9999999999, idr 999999999999, inr 999999999, jpy 9999999999, lbp 99999999999";
    assert_eq!(above.join(", "), maximums);
}

#[test]
fn a_charge_is_judged_by_its_currency() {
    let cases: &[(u64, &str, &str)] = &[
        (500, "jpy", ""),
        (49, "jpy", "amount in jpy must be at least 50 minor units (50 jpy) to charge"),
        (50, "usd", ""),
        (50, "USD", ""),
        (49, "usd", "amount in usd must be at least 50 minor units (0.50 usd) to charge"),
        (99_999_999, "usd", ""),
        (100_000_000, "usd", "amount in usd must be at most 99999999 minor units (999999.99 usd)"),
        (17_499, "huf", "amount in huf must be at least 17500 minor units (175.00 huf) to charge"),
        (17_501, "huf", ""),
        (80_045, "twd", ""),
        (500, "isk", ""),
        (505, "isk", "amount in isk must be a multiple of 100 minor units (1.00 isk)"),
        (5, "ugx", "amount in ugx must be a multiple of 100 minor units (1.00 ugx)"),
        (5_124, "kwd", "amount in kwd must be a multiple of 10 minor units (0.010 kwd)"),
        (5_120, "kwd", ""),
        (1, "sar", ""),
        (999_999_999_999, "idr", ""),
        (9_999_999_999, "jpy", ""),
        (10_000_000_000, "jpy", "amount in jpy must be at most 9999999999 minor units (9999999999 jpy)"),
        (999_999_999, "inr", ""),
        (1_000_000_000, "inr", "amount in inr must be at most 999999999 minor units (9999999.99 inr)"),
        (
            500,
            "xyz",
            "currency must be one that Stripe takes, and xyz is not; see https://docs.stripe.com/currencies",
        ),
        (0, "jpy", "amount must be a whole number of minor units from 1 to 999999999999"),
        (9_007_199_254_740_993, "idr", "amount must be a whole number of minor units from 1 to 999999999999"),
    ];
    for (minor, code, refusal) in cases {
        assert_eq!(charge(*minor, code).err().unwrap_or_default(), *refusal, "{minor} {code}");
    }
}

#[test]
fn a_part_has_no_minimum_but_keeps_the_step_and_the_maximum() {
    for (minor, code) in [(1, "usd"), (1, "jpy"), (100, "isk"), (10, "kwd"), (1, "huf")] {
        assert_eq!(part(minor, code), Ok(()), "{minor} {code}");
    }
    for (minor, code) in [(1, "isk"), (150, "ugx"), (5, "kwd"), (100_000_000, "usd"), (1, "xyz")] {
        assert!(part(minor, code).is_err(), "{minor} {code}");
    }
}

#[test]
fn only_whole_json_numbers_are_amounts() {
    for text in ["19.99", "1e3", "\"1000\"", "9007199254740993", "0", "-1", "500.0", "18446744073709551616"] {
        let value = serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert!(serde_json::from_value::<Amount>(value).is_err(), "{text}");
        assert!(serde_json::from_str::<Amount>(text).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn a_charge_is_taken_exactly_when_every_rule_holds(
        row in proptest::sample::select(table::TABLE),
        minor in prop_oneof![1..=100_000_u64, 99_999_000..=100_001_000_u64, 1..=MAX_AMOUNT_MINOR],
    ) {
        let is_part = minor % row.step == 0 && minor <= row.maximum;
        prop_assert_eq!(part(minor, row.code).is_ok(), is_part);
        let is_charge = is_part && row.minimum.is_none_or(|least| minor >= least);
        prop_assert_eq!(charge(minor, row.code).is_ok(), is_charge);
    }

    #[test]
    fn a_refusal_says_what_is_taken(row in proptest::sample::select(table::TABLE), minor in 1..=MAX_AMOUNT_MINOR) {
        match Amount::try_from(minor).unwrap().check_charge(row.code.parse().unwrap()) {
            Ok(()) => {}
            Err(refusal) => {
                let text = refusal.to_string();
                prop_assert!(text.starts_with("amount in ") && text.contains(row.code) && text.contains("must be"));
            }
        }
    }

    #[test]
    fn a_code_outside_the_table_is_refused(code in "[a-z]{3}") {
        let is_known = table::TABLE.iter().any(|row| row.code == code);
        prop_assert_eq!(part(100, &code).is_ok(), is_known);
        prop_assert_eq!(code.parse::<Currency>().unwrap().rules().is_some(), is_known);
    }

    #[test]
    fn units_print_the_same_digits(row in proptest::sample::select(table::TABLE), minor in any::<u64>()) {
        let text = row.in_units(minor);
        let (number, code) = text.split_once(' ').unwrap();
        prop_assert_eq!(code, row.code);
        let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        prop_assert_eq!(decimals, usize::from(row.exponent));
        prop_assert_eq!(number.replace('.', "").parse::<u64>().unwrap(), minor);
    }
}
