//! The currency table: one row per currency that Stripe charges in, sorted by code.
//!
//! Source of every rule: <https://docs.stripe.com/currencies>, its sections quoted by name, read on 2026-11-30 in
//! these stored copies (the page depends on the country of the account, and changes):
//! - **2026**: its Markdown, undated, agreeing word for word with notes taken from the page on 2026-07-10, which also
//!   have the lists that the Markdown leaves out;
//! - **2025**: its Markdown, undated, older than 2026;
//! - **2023**: the whole page as text, undated, from about the change of ISK on 2023-04-14.
//!
//! Where copies differ, a currency, or a larger maximum listed for it by name, is taken if any copy has it: the
//! provider still judges each charge. A rule about all currencies is taken in its stricter form.

use super::CurrencyRules;

/// "Specify amounts in API requests" (2026): two decimals unless listed otherwise.
const fn two(code: &'static str) -> CurrencyRules {
    CurrencyRules { code, exponent: 2, step: 1, minimum: None, maximum: digits(MOST_DIGITS) }
}

/// "Zero-decimal currencies" (2026): the amount is in whole units. UGX is listed there too, but its special case rules.
const fn zero(code: &'static str) -> CurrencyRules {
    CurrencyRules { exponent: 0, ..two(code) }
}

/// "Three-decimal currencies" (2023): the last digit must be 0, in payment intents, refunds and disputes alike. The
/// section is gone from the copies of 2025 and 2026; nothing there says that the rule is.
const fn three(code: &'static str) -> CurrencyRules {
    CurrencyRules { exponent: 3, step: 10, ..two(code) }
}

/// "Special cases" (2023, 2025, 2026), ISK and UGX: whole units only, but written with two decimals that are 00.
///
/// HUF and TWD stand in the same section for payouts only: both can be charged with two decimals.
const fn whole(code: &'static str) -> CurrencyRules {
    CurrencyRules { step: 100, ..two(code) }
}

/// "Maximum charge amounts" (2023, 2025; 2026 for other methods than cards): eight digits unless listed otherwise.
const MOST_DIGITS: u32 = 8;

const fn digits(count: u32) -> u64 {
    10_u64.pow(count) - 1
}

impl CurrencyRules {
    /// "Minimum charge amount by currency" (2026; BGN: 2025), in minor units.
    ///
    /// The page states it for the currency in which the account settles, and here the account is taken to settle in the
    /// charge's. A charge that is converted must be worth the minimum of that other currency, which depends on the rate
    /// of the day: the provider judges that. Some payment methods take less (iDEAL: 1); none of them is charged here.
    const fn least(self, minimum: u64) -> Self {
        Self { minimum: Some(minimum), ..self }
    }

    /// "Maximum charge amounts": how many digits the amount may have.
    ///
    /// For every method: IDR 12 and INR 9 (2025, 2026), COP 10 (2026). For cards: LBP 11, HUF and JPY 10 (2025, by the
    /// counts of digits; the amounts printed beside them have more). For most cards in any currency 2026 says 12, where
    /// the reference of payment intents still says eight: only the currencies named get more than eight. Card networks
    /// may take less (American Express 9 digits, JCB in Japan 8): the provider judges that.
    const fn digits(self, count: u32) -> Self {
        Self { maximum: digits(count), ..self }
    }
}

/// "Supported presentment currencies" (2023); the three-decimal ones, which accounts in the Emirates have (2026); and
/// XCG, ANG's successor of 2025, from later lists of what the API takes. BGN, which the euro replaced in 2026, is not in
/// those. An account may have fewer: the provider judges that.
pub(super) const TABLE: &[CurrencyRules] = &[
    two("aed").least(200),
    two("afn"),
    two("all"),
    two("amd"),
    two("ang"),
    two("aoa"),
    two("ars").least(50),
    two("aud").least(50),
    two("awg"),
    two("azn"),
    two("bam"),
    two("bbd"),
    two("bdt"),
    two("bgn").least(100),
    three("bhd"),
    zero("bif"),
    two("bmd"),
    two("bnd"),
    two("bob"),
    two("brl").least(50),
    two("bsd"),
    two("bwp"),
    two("byn"),
    two("bzd"),
    two("cad").least(50),
    two("cdf"),
    two("chf").least(50),
    zero("clp"),
    two("cny"),
    two("cop").least(50).digits(10),
    two("crc"),
    two("cve"),
    two("czk").least(1500),
    zero("djf"),
    two("dkk").least(250),
    two("dop"),
    two("dzd"),
    two("egp"),
    two("etb"),
    two("eur").least(50),
    two("fjd"),
    two("fkp"),
    two("gbp").least(30),
    two("gel"),
    two("gip"),
    two("gmd"),
    zero("gnf"),
    two("gtq"),
    two("gyd"),
    two("hkd").least(400),
    two("hnl"),
    two("htg"),
    two("huf").least(17_500).digits(10),
    two("idr").least(50).digits(12),
    two("ils").least(50),
    two("inr").least(50).digits(9),
    whole("isk"),
    two("jmd"),
    three("jod"),
    zero("jpy").least(50).digits(10),
    two("kes"),
    two("kgs"),
    two("khr"),
    zero("kmf"),
    zero("krw").least(50),
    three("kwd"),
    two("kyd"),
    two("kzt"),
    two("lak"),
    two("lbp").digits(11),
    two("lkr"),
    two("lrd"),
    two("lsl"),
    two("mad"),
    two("mdl"),
    zero("mga"),
    two("mkd"),
    two("mmk"),
    two("mnt"),
    two("mop"),
    two("mur"),
    two("mvr"),
    two("mwk"),
    two("mxn").least(1000),
    two("myr").least(200),
    two("mzn"),
    two("nad"),
    two("ngn"),
    two("nio"),
    two("nok").least(300),
    two("npr"),
    two("nzd").least(50),
    three("omr"),
    two("pab"),
    two("pen"),
    two("pgk"),
    two("php").least(50),
    two("pkr"),
    two("pln").least(200),
    zero("pyg"),
    two("qar"),
    two("ron").least(200),
    two("rsd"),
    two("rub").least(50),
    zero("rwf"),
    two("sar"),
    two("sbd"),
    two("scr"),
    two("sek").least(300),
    two("sgd").least(50),
    two("shp"),
    two("sle"),
    two("sos"),
    two("srd"),
    two("std"),
    two("szl"),
    two("thb").least(1000),
    two("tjs"),
    three("tnd"),
    two("top"),
    two("try"),
    two("ttd"),
    two("twd"),
    two("tzs"),
    two("uah"),
    whole("ugx"),
    two("usd").least(50),
    two("uyu"),
    two("uzs"),
    zero("vnd"),
    zero("vuv"),
    two("wst"),
    zero("xaf"),
    two("xcd"),
    two("xcg"),
    zero("xof"),
    zero("xpf"),
    two("yer"),
    two("zar").least(50),
    two("zmw"),
];
