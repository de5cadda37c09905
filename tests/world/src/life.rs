//! Drawing what follows a charge: captures, cancels and refunds, too early, too late, too much and twice.

use effect::{hours, minutes, seconds};
use payment::IfCaptured;

use crate::{
    draw::CARDS,
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

/// Three payments, each of them charged once and followed by one or two of what may follow a charge. A hold is captured
/// or canceled, since one that expires is looked at for days.
pub(crate) fn draw_brief(rng: &mut Rng) -> Vec<Order> {
    let mut orders = Vec::new();
    for payment in 0..3 {
        let card = if rng.chance(50) { *rng.pick(&SPECIAL_CARDS) } else { *rng.pick(&CARDS) };
        let amount = 100 + rng.below(9_000);
        let first = Order::charge(payment, "1", card, amount, rng.between(0, seconds(30)));
        let is_manual = rng.chance(300);
        let first = if is_manual { first.to_be_captured() } else { first };
        let too_much = if rng.chance(100) { amount + 1 } else { amount };
        let part = *rng.pick(&[None, Some(too_much), Some(amount * 7 / 10)]);
        let mut follow = |rng: &mut Rng, reference, ask| {
            let soon = *rng.pick(&[5, seconds(2), seconds(10), minutes(10)]);
            let after = 1 + rng.between(0, soon);
            orders.push(first.then(after, reference, ask));
        };
        if is_manual && rng.chance(750) {
            follow(rng, "c1", Ask::Capture(part));
        } else if is_manual || rng.chance(100) {
            let if_captured = *rng.pick(&[IfCaptured::Refuse, IfCaptured::Refund]);
            follow(rng, "x1", Ask::Cancel(if_captured));
        } else {
            follow(rng, "r1", Ask::Refund(part));
        }
        match rng.below(8) {
            0 => follow(rng, "r2", Ask::Refund(part)),
            1 => follow(rng, "1", first.ask),
            2 => follow(rng, "2", first.clone().paid_by("pm_card_visa").ask),
            _ => {}
        }
        orders.push(first);
    }
    orders
}

/// One payment of 10,000, captured, and two refunds of 7,000 at about the same time, some of them asked for again.
pub(crate) fn draw_two_refunds(rng: &mut Rng) -> Vec<Order> {
    let paid = Order::charge(0, "1", "pm_card_visa", 10_000, 0);
    let at = *rng.pick(&[1, seconds(2), minutes(5)]);
    let refund =
        |rng: &mut Rng, name| paid.then(at + rng.between(0, seconds(1)), name, Ask::Refund(Some(7_000)));
    let mut orders = vec![paid.clone(), refund(rng, "r1"), refund(rng, "r2")];
    for again in 0..rng.below(3) as usize {
        let first = orders[1 + again % 2].clone();
        orders.push(Order { at: first.at + rng.between(0, minutes(10)), ..first });
    }
    orders
}

/// One payment whose first card declines, and a second card soon after, or before anything is known of the first.
pub(crate) fn draw_second_card(rng: &mut Rng) -> Vec<Order> {
    let first = Order::charge(0, "1", "pm_card_chargeDeclined", 10_000, 0);
    let after = *rng.pick(&[1, seconds(2), minutes(5)]);
    let second = Order { reference: "2", at: rng.between(0, after), ..first.clone() }.paid_by("pm_card_visa");
    let again = Order { at: rng.between(0, minutes(10)), ..first.clone() };
    vec![first, second.clone(), again, Order { at: second.at + rng.between(0, minutes(10)), ..second }]
}
