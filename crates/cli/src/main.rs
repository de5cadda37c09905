//! `ikkai`: parses the command line, connects, and prints.

use std::{
    fs::File,
    io::{BufReader, Write, stderr, stdin, stdout},
    process::ExitCode,
    time::Duration,
};

use adapters::{OsRandomness, SystemClock};
use anyhow::{Context, Result};
use clap::Parser;
use effect::seconds;
use ikkai::{
    args::{Action, Cli, ListArgs, QueueArgs, WatchArgs},
    ask, connect, ids, list,
    show::show,
    watch::Watch,
};
use indicatif::{ProgressBar, ProgressStyle};
use payment::{Command, PaymentId, ports::Clock};

/// How long to wait between two rounds of reads.
const PAUSE: Duration = Duration::from_millis(500);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(code) => code,
        Err(error) => {
            // Without a standard error there is nobody to tell.
            let _ = writeln!(stderr(), "ikkai: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.action {
        Action::Charge(args) => send(&ask::charge(&args)?, &args.queue).await?,
        Action::Capture(args) => send(&ask::capture(&args)?, &args.operation.queue).await?,
        Action::Cancel(args) => send(&ask::cancel(&args)?, &args.operation.queue).await?,
        Action::Refund(args) => send(&ask::refund(&args)?, &args.operation.queue).await?,
        Action::List(args) => list(&args).await?,
        Action::Show(args) => {
            let id = ids::of_show(&args)?;
            let ledger = connect::ledger(&args.table)?;
            let text = show(&id, args.json, &ledger, &SystemClock).await?;
            writeln!(stdout(), "{}", text.trim_end())?;
        }
        Action::Watch(args) => return watch(&args).await,
    }
    Ok(ExitCode::SUCCESS)
}

async fn send(command: &Command, queue: &QueueArgs) -> Result<()> {
    let payment_id = ask::ask(command, &connect::queue(queue)?, &OsRandomness).await?;
    writeln!(stdout(), "{payment_id}")?;
    Ok(())
}

async fn list(args: &ListArgs) -> Result<()> {
    let ledger = connect::ledger(&args.table)?;
    let mut out = stdout();
    if args.all {
        writeln!(stderr(), "reading the whole table")?;
        let count = list::all(&ledger, args.json, |line| Ok(writeln!(stdout(), "{line}")?)).await?;
        writeln!(stderr(), "{count} payments")?;
        return Ok(());
    }
    let (what, listed) = if args.review {
        ("review_since", list::review(&ledger, args.limit).await?)
    } else {
        ("due_at", list::due(&ledger, args.limit).await?)
    };
    write!(out, "{}", list::print(&listed, what, args.json, &SystemClock)?)?;
    if listed.len() >= usize::try_from(args.limit)? {
        writeln!(stderr(), "the first {}; --limit shows more", args.limit)?;
    }
    Ok(())
}

async fn watch(args: &WatchArgs) -> Result<ExitCode> {
    let ledger = connect::ledger(&args.table)?;
    let mut watch = Watch::new(watched(args)?);
    let deadline = SystemClock.now().plus_ms(seconds(args.timeout.into()));
    let bar = ProgressBar::new(u64::try_from(watch.len())?);
    bar.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} at rest, {elapsed}  {msg}")?);
    let pause = async || tokio::time::sleep(PAUSE).await;
    let progress = |watch: &Watch| {
        bar.set_position(u64::try_from(watch.at_rest()).unwrap_or(u64::MAX));
        bar.set_message(watch.counts());
    };
    let verdict = watch.run(&ledger, &SystemClock, deadline, pause, progress).await;
    bar.finish_and_clear();
    writeln!(stdout(), "{watch}")?;
    Ok(verdict.exit_code().into())
}

fn watched(args: &WatchArgs) -> Result<Vec<PaymentId>> {
    if let Some(path) = &args.file {
        let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
        return ids::from_lines(BufReader::new(file), None);
    }
    if let Some(count) = args.count {
        return ids::from_lines(stdin().lock(), Some(count));
    }
    args.payment_ids.iter().map(|id| Ok(id.parse()?)).collect()
}
