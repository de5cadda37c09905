//! Amount and currency rules, for the currencies that matter here.

use crate::error::ApiError;

/// Stripe's presentment currencies, each followed by a space.
const CURRENCIES: &str = "usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd \
    bwp byn bzd cad cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd \
    hkd hnl htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd \
    mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf \
    sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd \
    xcg xof xpf yer zar zmw ";

/// The largest amount: eight digits.
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
        "usd" | "eur" | "cad" | "aud" | "nzd" | "chf" | "sgd" | "brl" | "inr" | "jpy" => 50,
        "gbp" => 30,
        "dkk" => 250,
        "sek" | "nok" => 300,
        "pln" | "bgn" | "ron" => 200,
        "czk" => 1500,
        "hkd" => 400,
        "mxn" => 1000,
        "huf" => 17_500,
        _ => 1,
    };
    if amount < least {
        let message = format!("Amount must be at least {least} {currency} in minor units");
        return Err(ApiError::invalid(Some("amount_too_small"), "amount", message));
    }
    if amount > MOST {
        let message = format!("Amount must be no more than {MOST} {currency} in minor units");
        return Err(ApiError::invalid(Some("amount_too_large"), "amount", message));
    }
    Ok(())
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
