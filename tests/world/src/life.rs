//! Drawing what follows a charge: captures, cancels and refunds, too early, too late, too much and twice.

use effect::{hours, minutes, seconds};
use payment::IfCaptured;

use crate::{
    kinds::Kind,
    options::{Ask, Options, Order},
    rng::Rng,
};

/// Cards whose refunds are not final at once, or whose customer must act.
const SPECIAL_CARDS: [&str; 6] = [
    "pm_card_pendingRefund",
    "pm_card_refundFail",
    "pm_sim_refund_pending_fails",
    "pm_sim_refund_pending_canceled",
    "pm_sim_refund_fails",
    "pm_sim_requires_action",
];

/// Adds to the charges of a run what may follow them.
pub(crate) fn draw_life(rng: &mut Rng, options: &mut Options) {
    if rng.chance(400) {
        options.rates.set(Kind::CapturedOutside, rng.below(500) as u32);
    }
    options.refund_delay_ms = *rng.pick(&[seconds(10), minutes(10), hours(3), hours(72)]);
    let payments = options.orders.iter().map(|order| order.payment).max().map_or(0, |last| last + 1);
    for payment in 0..payments {
        let is_manual = rng.chance(400);
        let special = rng.chance(200).then(|| *rng.pick(&SPECIAL_CARDS));
        for order in options.orders.iter_mut().filter(|order| order.payment == payment) {
            if is_manual {
                *order = order.clone().to_be_captured();
            }
            if let Some(card) = special.filter(|_| order.reference == "1") {
                *order = order.clone().paid_by(card);
            }
        }
        let charges = options.orders.iter().filter(|order| order.payment == payment);
        let Some(first) = charges.min_by_key(|order| (order.reference, order.at)).cloned() else { continue };
        let mut followers = draw_followers(rng, &first, is_manual);
        for follower in followers.clone() {
            if rng.chance(150) {
                let later = *rng.pick(&[5, seconds(10), minutes(6), hours(25)]);
                followers.push(Order { at: follower.at + rng.between(0, later), ..follower });
            }
        }
        options.orders.append(&mut followers);
    }
}

fn draw_followers(rng: &mut Rng, first: &Order, is_manual: bool) -> Vec<Order> {
    let Ask::Charge { amount, .. } = first.ask else { return Vec::new() };
    let mut followers = Vec::new();
    let add = |followers: &mut Vec<Order>, rng: &mut Rng, reference, ask| {
        let soon = *rng.pick(&[5, seconds(2), seconds(10), minutes(10)]);
        let after = 1 + rng.between(0, soon);
        followers.push(first.then(after, reference, ask));
    };
    if is_manual && rng.chance(700) {
        let part = *rng.pick(&[None, None, Some(amount), Some(amount / 2), Some(amount + 1)]);
        add(&mut followers, rng, "c1", Ask::Capture(part));
    }
    if rng.chance(if is_manual { 150 } else { 30 }) {
        add(&mut followers, rng, "c2", Ask::Capture(None));
    }
    if rng.chance(200) {
        let if_captured = *rng.pick(&[IfCaptured::Refuse, IfCaptured::Refund]);
        add(&mut followers, rng, "x1", Ask::Cancel(if_captured));
    }
    if rng.chance(400) {
        let references = ["r1", "r2", "r3"];
        for reference in &references[..1 + rng.below(3) as usize] {
            let part = *rng.pick(&[None, Some(amount), Some(amount * 7 / 10), Some(amount / 2), Some(1)]);
            add(&mut followers, rng, reference, Ask::Refund(part));
        }
    }
    followers
}
