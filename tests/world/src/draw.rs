//! Drawing what a run is made of from its seed.

use std::{fmt, str::FromStr};

use effect::{hours, minutes, seconds};

use crate::{
    kinds::Kind,
    life::{draw_brief, draw_life, draw_second_card, draw_two_refunds},
    options::{Options, Order},
    rng::Rng,
};

/// How a seed's options are drawn: a seed means a run only together with its drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Drawing {
    /// Payments with captures, cancels and refunds, in mixed runs.
    #[default]
    Life,
    /// Three payments, each with one or two operations after its charge, and seldom anything that is waited for over
    /// days: the drawing for many millions of seeds.
    Brief,
    /// Mostly short runs of three payments, and among them some that last days. Charges alone; it never changes.
    Mixed,
    /// One payment of 10,000, and two refunds of 7,000 at once.
    TwoRefunds,
    /// One payment whose first card declines, and a second card.
    SecondCard,
    /// Runs that last days, as the first seeds were drawn. It never changes, so that those kept keep their meaning.
    Long,
}

/// How many of a thousand mixed runs last days.
const LONG_PER_MILLE: u32 = 15;

/// How many of a thousand mixed runs are about the end of the key window.
const AT_WINDOWS_END_PER_MILLE: u32 = 5;

/// How many of a thousand brief runs meet a 500: Stripe replays it until its key ends, so it is asked about for a day.
const REPLAYED_500_PER_MILLE: u32 = 50;

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Life => "life",
            Self::Brief => "brief",
            Self::Mixed => "mixed",
            Self::TwoRefunds => "two-refunds",
            Self::SecondCard => "second-card",
            Self::Long => "long",
        })
    }
}

impl FromStr for Drawing {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Life, Self::Brief, Self::Mixed, Self::TwoRefunds, Self::SecondCard, Self::Long];
        let found = all.into_iter().find(|drawing| drawing.to_string() == text);
        found.ok_or("a drawing is `life`, `brief`, `mixed`, `two-refunds`, `second-card` or `long`")
    }
}

pub(crate) const CARDS: [&str; 10] = [
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_chargeDeclined",
    "pm_card_chargeDeclined",
    "pm_card_chargeDeclinedInsufficientFunds",
    "pm_card_authenticationRequired",
    "pm_sim_processing",
];

impl Options {
    /// Draws a hostile run.
    #[must_use]
    pub fn draw(drawing: Drawing, rng: &mut Rng) -> Self {
        match drawing {
            Drawing::Long => draw_long(rng),
            Drawing::Life => {
                let mut options = Self::draw(Drawing::Mixed, rng);
                draw_life(rng, &mut options);
                options
            }
            Drawing::Brief => {
                let mut options = Self { orders: draw_brief(rng), ..draw_short(rng) };
                options.refund_delay_ms = minutes(10);
                if !rng.chance(REPLAYED_500_PER_MILLE) {
                    for kind in [Kind::Error500Before, Kind::Error500Between, Kind::Error500After] {
                        options.rates.set(kind, 0);
                    }
                }
                options
            }
            Drawing::TwoRefunds => Self { orders: draw_two_refunds(rng), ..Self::draw(Drawing::Mixed, rng) },
            Drawing::SecondCard => Self { orders: draw_second_card(rng), ..Self::draw(Drawing::Mixed, rng) },
            Drawing::Mixed if rng.chance(LONG_PER_MILLE) => {
                // Most of a long outage is the same sweep again and again.
                let sweep_every_ms = *rng.pick(&[minutes(1), minutes(15), hours(1), hours(2)]);
                Self { sweep_every_ms, ..draw_long(rng) }
            }
            Drawing::Mixed if rng.chance(AT_WINDOWS_END_PER_MILLE) => draw_at_windows_end(rng),
            Drawing::Mixed => draw_short(rng),
        }
    }
}

fn draw_short(rng: &mut Rng) -> Options {
    let mut options = Options::calm(draw_few_orders(rng));
    options.latency_ms = *rng.pick(&[5, 50, 2_000]);
    options.calm_at = *rng.pick(&[minutes(2), minutes(10), minutes(10), minutes(40)]);
    draw_rates(rng, &mut options, 600);
    draw_clocks(rng, &mut options);
    options.sweep_every_ms = *rng.pick(&[minutes(1), minutes(5), minutes(15)]);
    options.processing_ms = *rng.pick(&[minutes(1), minutes(10), hours(3)]);
    if rng.chance(60) {
        options.outage = Some((rng.between(0, minutes(2)), rng.between(minutes(1), hours(1))));
    }
    if rng.chance(60) {
        options.table_outage = Some((rng.between(0, minutes(2)), rng.between(minutes(1), minutes(20))));
    }
    if rng.chance(60) {
        options.secret_rolled = Some((rng.between(0, minutes(2)), rng.between(minutes(1), minutes(30))));
    }
    if rng.chance(150) {
        options.second_build_at = Some(rng.between(0, minutes(4)));
    }
    if rng.chance(100) {
        options.redrive_at = Some(rng.between(minutes(10), hours(3)));
    }
    options
}

/// Stripe is out of reach for longer than the key window, and the commands come again just where that ends.
fn draw_at_windows_end(rng: &mut Rng) -> Options {
    let mut options = draw_short(rng);
    for index in 0..options.orders.len() {
        let order = options.orders[index].clone();
        options.orders.push(Order { at: order.at + hours(23) - rng.between(0, minutes(1)), ..order });
    }
    options.outage = Some((0, hours(24)));
    options.rates.set(Kind::Delay, 300);
    options.sweep_every_ms = hours(2);
    options.calm_at = hours(25);
    options
}

fn draw_long(rng: &mut Rng) -> Options {
    let orders = draw_orders(rng);
    let mut options = Options::calm(orders);
    options.latency_ms = *rng.pick(&[5, 50, 2_000]);
    options.calm_at = *rng.pick(&[minutes(10), minutes(10), hours(2), hours(2), hours(30), hours(110)]);
    draw_rates(rng, &mut options, 400);
    draw_clocks(rng, &mut options);
    if rng.chance(250) {
        // Some outages end just where the key window does.
        let length = match rng.below(4) {
            0 => hours(23) - rng.between(0, minutes(3)),
            1 => rng.between(hours(20), hours(30)),
            _ => rng.between(minutes(1), hours(4)),
        };
        options.outage = Some((rng.between(0, minutes(10)), length));
        options.calm_at = options.calm_at.max(hours(31));
    }
    if rng.chance(100) {
        options.table_outage = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(2))));
    }
    if rng.chance(80) {
        // The mapping comes back just where the key window ends, with operations left unknown before.
        let from = minutes(2);
        options.queue_paused = Some((from, hours(23) + rng.between(-minutes(1), minutes(1)) - from));
        options.rates.set(Kind::LateReply, 500);
        options.rates.set(Kind::Delay, 200);
        options.calm_at = options.calm_at.max(hours(24));
    }
    if rng.chance(100) {
        options.secret_rolled = Some((rng.between(0, minutes(10)), rng.between(minutes(1), hours(3))));
    }
    if rng.chance(200) {
        options.second_build_at = Some(rng.between(0, minutes(20)));
    }
    if rng.chance(500) {
        options.redrive_at = Some(rng.between(hours(1), hours(100)));
    }
    options
}

/// Draws how often each kind strikes. Each is off in some runs, so that a rare one is not drowned by a common one.
fn draw_rates(rng: &mut Rng, options: &mut Options, off_per_mille: u32) {
    for kind in &Kind::ALL[..Kind::OF_CHARGES] {
        if !rng.chance(off_per_mille) {
            options.rates.set(*kind, rng.below(most(*kind)) as u32);
        }
    }
}

fn draw_clocks(rng: &mut Rng, options: &mut Options) {
    options.skew_ms = *rng.pick(&[0, seconds(2), seconds(30), minutes(2) + seconds(30)]);
    options.search_lag_ms = *rng.pick(&[seconds(5), minutes(1), minutes(59)]);
    options.list_lag_ms = *rng.pick(&[0, 0, seconds(2), seconds(30), minutes(3)]);
}

/// How often each kind strikes at the most, per mille; 0 for what is not drawn at its point but follows from others.
const fn most(kind: Kind) -> u64 {
    match kind {
        Kind::Crash => 120,
        Kind::LostReply | Kind::ResetBefore => 300,
        Kind::LateReply | Kind::Error500After => 150,
        Kind::Error500Before
        | Kind::Error500Between
        | Kind::RateLimit
        | Kind::LockTimeout
        | Kind::Unavailable => 100,
        Kind::Throttle | Kind::LostWriteReply => 100,
        Kind::TransactionConflict => 60,
        Kind::DuplicateDelivery => 400,
        Kind::Delay => 60,
        Kind::StreamRepeat | Kind::BusPartial | Kind::BusDown => 200,
        Kind::FailedSend => 200,
        Kind::WebhookBefore | Kind::WebhookAfter | Kind::WebhookTwice => 500,
        Kind::CustomerPays | Kind::CapturedOutside => 500,
        Kind::FunctionTimeout
        | Kind::InFlight
        | Kind::WriteConflict
        | Kind::Reordering
        | Kind::StaleWorker
        | Kind::ClockSkew
        | Kind::KeyExpiry
        | Kind::SearchLag
        | Kind::ListLag
        | Kind::LateRedrive
        | Kind::CanceledOutside
        | Kind::Expired
        | Kind::CustomerAbsent
        | Kind::RefundPending
        | Kind::RefundFailed
        | Kind::LongOutage
        | Kind::SecretRolled
        | Kind::TwoBuilds => 1,
    }
}

fn draw_orders(rng: &mut Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    let payments = 3 + rng.below(2) as usize;
    for payment in 0..payments {
        let amount = 100 + rng.below(9_000);
        let card = CARDS[rng.below(10) as usize];
        let first = Order::charge(payment, "1", card, amount, rng.between(0, minutes(1)));
        let mut repeats: Vec<Order> = vec![first.clone()];
        for _ in 0..rng.below(3) {
            let later = *rng.pick(&[5, seconds(10), minutes(6), hours(25), hours(90)]);
            // A repeat just where the key window ends is the one that a careless clock would send.
            let after =
                if rng.chance(80) { hours(23) - rng.between(0, minutes(2)) } else { rng.between(0, later) };
            repeats.push(Order { at: first.at + after, ..first.clone() });
        }
        if rng.chance(400) {
            let soon = *rng.pick(&[seconds(5), minutes(10), hours(26)]);
            let at = if rng.chance(150) { first.at / 2 } else { first.at + rng.between(0, soon) };
            let card = CARDS[rng.below(10) as usize];
            repeats.push(Order { reference: "2", at, ..first.clone() }.paid_by(card));
        }
        if rng.chance(150) {
            let at = first.at + rng.between(0, minutes(30));
            repeats.push(Order { reference: "3", at, ..first.clone() }.paid_by("pm_card_visa"));
        }
        if rng.chance(100) {
            // The same operation with another amount: refused, announced, and no effect.
            let at = first.at + rng.between(1, minutes(10));
            repeats.push(Order { at, ..first.clone() }.of_one_more());
        }
        orders.append(&mut repeats);
    }
    orders
}

/// Three payments, most of them asked for once or twice, all within minutes.
fn draw_few_orders(rng: &mut Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    for payment in 0..3 {
        let amount = 100 + rng.below(9_000);
        let payment_method = *rng.pick(&CARDS);
        let at = rng.between(0, seconds(30));
        let first = Order::charge(payment, "1", payment_method, amount, at);
        if rng.chance(350) {
            let later = *rng.pick(&[5, seconds(10), minutes(6)]);
            orders.push(Order { at: at + rng.between(0, later), ..first.clone() });
        }
        if rng.chance(250) {
            let soon = *rng.pick(&[5, seconds(5), minutes(10)]);
            let at = if rng.chance(150) { at / 2 } else { at + rng.between(0, soon) };
            let payment_method = *rng.pick(&CARDS);
            orders.push(Order { reference: "2", at, ..first.clone() }.paid_by(payment_method));
        }
        if rng.chance(60) {
            let at = at + rng.between(0, minutes(10));
            orders.push(Order { reference: "3", at, ..first.clone() });
        }
        if rng.chance(60) {
            // The same operation with another amount: refused, announced, and no effect.
            let at = at + rng.between(1, minutes(5));
            orders.push(Order { at, ..first.clone() }.of_one_more());
        }
        orders.push(first);
    }
    orders
}
