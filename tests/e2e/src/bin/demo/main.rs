//! `make demo`: the whole life of a hundred payments, through lost replies, saved errors, declines and killed workers,
//! counted at the simulated Stripe.

mod plan;
mod report;
mod trouble;
mod ways;

use std::{
    collections::BTreeMap,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::{Context, Result};
use e2e::{Function, Options, Stack};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::{
    plan::{Order, Step, orders},
    report::{Report, count_settled, read_records},
    trouble::{Kills, kill_workers, make_trouble},
    ways::Sender,
};

/// How many payments the demo makes.
const PAYMENTS: usize = 100;

/// How long workers are killed; after that nothing else goes wrong but what Stripe does.
const KILLING: Duration = Duration::from_secs(60);

/// How long everything may take to settle, from the first command on.
const PATIENCE: Duration = Duration::from_secs(240);

fn main() -> Result<ExitCode> {
    println!("demo: starting the local stack and deploying template.yaml …");
    let stack = Stack::start(&Options { stack: "ikkai-demo".to_owned(), ..Options::default() })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let report = runtime.block_on(run(&stack))?;
    report.print();
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run(stack: &Stack) -> Result<Report> {
    let capture = stack.capture("demo-events").await?;
    make_trouble(stack).await?;
    let orders = orders(PAYMENTS);
    let sender = Sender::new(stack);
    let done = AtomicBool::new(false);
    let started = Instant::now();
    println!(
        "demo: {PAYMENTS} payments, every command twice; three in ten of Stripe's replies lost, 5% errors after the effect, \
         and settle killed with SIGKILL for {} s",
        KILLING.as_secs()
    );
    let driving = async {
        let result = drive(stack, &sender, &orders, started).await;
        done.store(true, Ordering::Relaxed);
        result
    };
    let (driven, kills, swept) =
        tokio::join!(driving, kill_workers(stack, started + KILLING, &done), sweep(stack, &done));
    driven?;
    let kills: Kills = kills?;
    swept?;
    // The last announcements are on their way from the stream to the bus.
    sleep(Duration::from_secs(3)).await;
    let records = read_records(stack, &orders).await?;
    Report::of(stack, &orders, &records, &capture, &sender, kills, started.elapsed()).await
}

/// Sends every command twice, each in its time, and waits until every payment is at rest.
async fn drive(stack: &Stack, sender: &Sender<'_>, orders: &[Order], started: Instant) -> Result<()> {
    let bar = ProgressBar::new(PAYMENTS as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} settled, {elapsed} {msg}") {
        bar.set_style(style);
    }
    let mut records = BTreeMap::new();
    let mut waiting: Vec<(&Order, &Step)> =
        orders.iter().flat_map(|order| order.steps.iter().map(move |step| (order, step))).collect();
    while started.elapsed() < PATIENCE {
        let mut still_waiting = Vec::new();
        for (order, step) in waiting {
            if step.is_ready(records.get(&order.payment_id)) {
                sender.twice(&step.command, step.route).await?;
            } else {
                still_waiting.push((order, step));
            }
        }
        waiting = still_waiting;
        records = read_records(stack, orders).await?;
        let settled = count_settled(&records, orders);
        bar.set_position(settled as u64);
        if !bar.is_hidden() {
            bar.tick();
        } else if started.elapsed().as_secs().is_multiple_of(10) && settled < PAYMENTS {
            println!("demo: {settled}/{PAYMENTS} settled after {} s", started.elapsed().as_secs());
        }
        if settled == PAYMENTS && started.elapsed() > KILLING {
            break;
        }
        sleep(Duration::from_millis(1_000)).await;
    }
    bar.finish();
    Ok(())
}

/// Invokes the sweep every two seconds, as the schedule does every minute on AWS.
async fn sweep(stack: &Stack, done: &AtomicBool) -> Result<()> {
    while !done.load(Ordering::Relaxed) {
        stack.invoke(Function::Sweep, &json!({})).await.context("the sweep could not be invoked")?;
        sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}
