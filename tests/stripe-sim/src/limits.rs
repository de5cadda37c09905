//! Amount and currency rules, as <https://docs.stripe.com/currencies> gives them.

use crate::error::ApiError;

/// Stripe's presentment currencies, each followed by a space.
const CURRENCIES: &str = "usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd \
    bwp byn bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd \
    hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd \
    mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf \
    sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd \
    xcg xof xpf yer zar zmw ";

/// The largest amount of most currencies: eight digits.
const MOST: i64 = 99_999_999;

/// Returns the currency in lower case, or why there is none of that name.
pub(crate) fn currency(given: &str) -> Result<String, ApiError> {
    let lower = given.to_ascii_lowercase();
    let known =
        lower.len() == 3 && CURRENCIES.as_bytes().chunks(4).any(|known| &known[..3] == lower.as_bytes());
    if known {
        Ok(lower)
    } else {
        let message = format!("Invalid currency: {given}. Stripe does not support this currency.");
        Err(ApiError::invalid(None, "currency", message))
    }
}

/// Returns the amount in minor units, or why it is not an integer of at least 1.
pub(crate) fn amount(given: &str) -> Result<i64, ApiError> {
    let value = integer("amount", given)?;
    if value < 1 {
        let message = "This value must be greater than or equal to 1.";
        return Err(ApiError::invalid(Some("parameter_invalid_integer"), "amount", message));
    }
    Ok(value)
}

/// Checks an amount against the limits of its currency.
pub(crate) fn check(amount: i64, currency: &str) -> Result<(), ApiError> {
    let least = match currency {
        "usd" | "eur" | "cad" | "aud" | "nzd" | "chf" | "sgd" | "brl" | "inr" | "jpy" | "ars" | "cop"
        | "idr" | "ils" | "krw" | "php" | "rub" | "zar" => 50,
        "gbp" => 30,
        "bgn" => 100,
        "aed" | "myr" | "pln" | "ron" => 200,
        "dkk" => 250,
        "sek" | "nok" => 300,
        "hkd" => 400,
        "mxn" | "thb" => 1000,
        "czk" => 1500,
        "huf" => 17_500,
        _ => 1,
    };
    if amount < least {
        let message = format!("Amount must be at least {least} {currency} in minor units");
        return Err(ApiError::invalid(Some("amount_too_small"), "amount", message));
    }
    let most = match currency {
        "inr" => 999_999_999,
        "cop" | "huf" | "jpy" => 9_999_999_999,
        "lbp" => 99_999_999_999,
        "idr" => 999_999_999_999,
        _ => MOST,
    };
    if amount > most {
        let message = format!("Amount must be no more than {most} {currency} in minor units");
        return Err(ApiError::invalid(Some("amount_too_large"), "amount", message));
    }
    check_step("amount", amount, currency)
}

/// Checks that an amount has no fraction that its currency does not have.
///
/// The page's "Three-decimal currencies" hold for refunds as well; a minimum holds for neither captures nor refunds.
pub(crate) fn check_step(param: &str, amount: i64, currency: &str) -> Result<(), ApiError> {
    let step = match currency {
        "bhd" | "jod" | "kwd" | "omr" | "tnd" => 10,
        "isk" | "ugx" => 100,
        _ => 1,
    };
    if amount % step == 0 {
        return Ok(());
    }
    let message = format!("Invalid {param}: amounts in {currency} must be evenly divisible by {step}.");
    Err(ApiError::invalid(None, param, message))
}

/// Writes an amount as errors show it: `$20.00`, `€20.00`, `¥2000`, and `20.00 CHF` for those without a sign.
pub(crate) fn display(amount: i64, currency: &str) -> String {
    let decimals = match currency {
        "bif" | "clp" | "djf" | "gnf" | "jpy" | "kmf" | "krw" | "mga" | "pyg" | "rwf" | "vnd" | "vuv"
        | "xaf" | "xof" | "xpf" => 0,
        "bhd" | "jod" | "kwd" | "omr" | "tnd" => 3,
        _ => 2,
    };
    let unit = 10_i64.pow(decimals);
    let number = match usize::try_from(decimals) {
        Ok(places @ 1..) => format!("{}.{:0places$}", amount / unit, amount % unit),
        Ok(0) | Err(_) => amount.to_string(),
    };
    match currency {
        "usd" => format!("${number}"),
        "eur" => format!("€{number}"),
        "gbp" => format!("£{number}"),
        "jpy" => format!("¥{number}"),
        _ => format!("{number} {}", currency.to_ascii_uppercase()),
    }
}

/// Parses a decimal integer parameter.
pub(crate) fn integer(param: &str, given: &str) -> Result<i64, ApiError> {
    let digits = given.strip_prefix('-').unwrap_or(given);
    let parsed = if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        None
    } else {
        given.parse().ok()
    };
    parsed.ok_or_else(|| {
        ApiError::invalid(Some("parameter_invalid_integer"), param, format!("Invalid integer: {given}"))
    })
}

/// Parses a boolean parameter.
pub(crate) fn boolean(param: &str, given: &str) -> Result<bool, ApiError> {
    match given {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(ApiError::invalid(None, param, format!("Invalid boolean: {given}"))),
    }
}
