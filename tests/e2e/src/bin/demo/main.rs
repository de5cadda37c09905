//! `make demo`: a hundred payments through lost replies, saved errors, declines and killed workers, counted at the
//! simulated Stripe.

mod plan;
mod report;
mod trouble;

use std::{
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
    plan::{Attempt, attempts, send, send_again},
    report::{Report, count_settled, read_records},
    trouble::{Kills, kill_workers, make_trouble},
};

/// How many payments the demo makes.
const PAYMENTS: usize = 100;

/// How long workers are killed; after that nothing else goes wrong but what Stripe does.
const KILLING: Duration = Duration::from_secs(90);

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
    let attempts = attempts(PAYMENTS);
    let done = AtomicBool::new(false);
    let started = Instant::now();
    println!(
        "demo: {PAYMENTS} payments, every command twice; three in ten of Stripe's replies lost, 5% errors after the effect, \
         and settle killed with SIGKILL for {} s",
        KILLING.as_secs()
    );
    let driving = async {
        let result = drive(stack, &attempts, started).await;
        done.store(true, Ordering::Relaxed);
        result
    };
    let (driven, kills, swept) =
        tokio::join!(driving, kill_workers(stack, started + KILLING, &done), sweep(stack, &done));
    let commands = driven?;
    let kills: Kills = kills?;
    swept?;
    // The last announcements are on their way from the stream to the bus.
    sleep(Duration::from_secs(3)).await;
    let records = read_records(stack, &attempts).await?;
    Report::of(stack, &attempts, &records, &capture, commands, kills, started.elapsed()).await
}

/// Sends every command twice and waits until every payment is at rest; returns how many commands were sent.
async fn drive(stack: &Stack, attempts: &[Attempt], started: Instant) -> Result<usize> {
    let bar = ProgressBar::new(PAYMENTS as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} settled, {elapsed} {msg}") {
        bar.set_style(style);
    }
    let mut commands = 0;
    for attempt in attempts.iter().filter(|attempt| !attempt.waits_for_decline) {
        send(stack, attempt).await?;
        send_again(stack, attempt, commands).await?;
        commands += 2;
    }
    let mut waiting: Vec<&Attempt> = attempts.iter().filter(|attempt| attempt.waits_for_decline).collect();
    while started.elapsed() < PATIENCE {
        let records = read_records(stack, attempts).await?;
        let mut still_waiting = Vec::new();
        for attempt in waiting {
            if attempt.earlier_has_failed(&records) {
                send(stack, attempt).await?;
                send_again(stack, attempt, commands).await?;
                commands += 2;
            } else {
                still_waiting.push(attempt);
            }
        }
        waiting = still_waiting;
        let settled = count_settled(&records, attempts);
        bar.set_position(settled as u64);
        if !bar.is_hidden() {
            bar.tick();
        } else if started.elapsed().as_secs().is_multiple_of(10) && settled < PAYMENTS {
            println!("demo: {settled}/{PAYMENTS} settled after {} s", started.elapsed().as_secs());
        }
        if settled == PAYMENTS && waiting.is_empty() && started.elapsed() > KILLING {
            break;
        }
        sleep(Duration::from_millis(1_000)).await;
    }
    bar.finish();
    Ok(commands)
}

/// Invokes the sweep every two seconds, as the schedule does every minute on AWS.
async fn sweep(stack: &Stack, done: &AtomicBool) -> Result<()> {
    while !done.load(Ordering::Relaxed) {
        stack.invoke(Function::Sweep, &json!({})).await.context("the sweep could not be invoked")?;
        sleep(Duration::from_secs(2)).await;
    }
    Ok(())
}
