//! `make sim`: runs seeds until one breaks an invariant, or replays one with its trace.

use std::{num::NonZero, process::ExitCode, thread::available_parallelism};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use payment::PaymentState;
use world::{
    Breakage, Drawing, Exhausted, Flow, Kind, Options, Rng, Stats, exhaust, flows, hunt, keep_seed,
    kept_seeds, run_drawn,
};

// A step of the world is mostly small strings that come and go.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the deterministic world.
#[derive(Parser)]
#[command(name = "sim")]
struct Arguments {
    /// How many seeds to run.
    #[arg(long, default_value_t = 100_000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// On how many threads; every core by default.
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
    /// Replays this one seed and prints its trace.
    #[arg(long)]
    seed: Option<u64>,
    /// How the seeds' options are drawn: life, brief, mixed, two-refunds, second-card, or long as those first kept were.
    #[arg(long, default_value_t)]
    drawing: Drawing,
    /// Breaks the protocol in this way, to see it noticed: e.g. NewKeyPerSend.
    #[arg(long)]
    breakage: Option<Breakage>,
    /// Instead of seeds, runs every flow with a crash at every pause point and at every pair of them, and the three
    /// shortest flows with a crash at every triple.
    #[arg(long)]
    exhaustive: bool,
}

impl Arguments {
    fn jobs(&self) -> NonZero<usize> {
        self.jobs.or(available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(seed) = arguments.seed {
        return if replay(arguments.drawing, seed, arguments.breakage) {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        };
    }
    if arguments.exhaustive {
        return run_exhaustively(arguments.jobs());
    }
    let mut total = Stats::default();
    for (drawing, seed) in kept_seeds() {
        let report = run_drawn(drawing, seed, |options| options.breakage = arguments.breakage, false);
        total.add(&report.stats);
        if !report.violations.is_empty() {
            replay(drawing, seed, arguments.breakage);
            println!(
                "the kept seed {seed} breaks an invariant; replay it: make sim SEED={seed} DRAWING={drawing}"
            );
            return summarize(&total, report.violations.len());
        }
    }
    let Some((hunted, broken)) = hunt_seeds(&arguments) else { return ExitCode::FAILURE };
    total.add(&hunted);
    let Some((seed, what)) = broken else { return summarize(&total, 0) };
    replay(arguments.drawing, seed, arguments.breakage);
    println!(
        "seed {seed} breaks an invariant; replay it with: make sim SEED={seed} DRAWING={}",
        arguments.drawing
    );
    if arguments.breakage.is_none() {
        match keep_seed(arguments.drawing, seed, &what) {
            Ok(path) => println!("kept in {}", path.display()),
            Err(error) => println!("it could not be kept: {error}"),
        }
    }
    summarize(&total, 1)
}

/// Hunts under a progress bar, and prints the rate.
fn hunt_seeds(arguments: &Arguments) -> Option<(Stats, Option<(u64, String)>)> {
    let Some(end) = arguments.from.checked_add(arguments.seeds) else {
        println!("the last seed is {}", u64::MAX);
        return None;
    };
    let jobs = arguments.jobs();
    let bar = bar(arguments.seeds, "{bar:40} {pos}/{len} seeds, {per_sec}, {eta} left");
    let hunted =
        hunt(arguments.drawing, arguments.from..end, jobs, arguments.breakage, |seeds| bar.inc(seeds));
    let seconds = bar.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let rate = hunted.stats.seeds as f64 / seconds;
    eprintln!(
        "{rate:.0} seeds/s on {jobs} threads, {:.0} on each; {:.0} steps a seed, {:.2} µs a step",
        rate / jobs.get() as f64,
        hunted.stats.steps as f64 / hunted.stats.seeds as f64,
        seconds * jobs.get() as f64 * 1e6 / hunted.stats.steps as f64
    );
    Some((hunted.stats, hunted.broken))
}

fn run_exhaustively(jobs: NonZero<usize>) -> ExitCode {
    let flows = flows();
    let points = |flow: &Flow| exhaust(std::slice::from_ref(flow), 0, jobs, |_, _| {}).points;
    for flow in &flows {
        println!("{:>6} pause points: {}", points(flow), flow.name);
    }
    let mut shortest = flows.clone();
    shortest.sort_by_key(points);
    shortest.truncate(3);
    let pairs = exhaust_under_a_bar("pairs", &flows, 2, jobs);
    let triples = exhaust_under_a_bar("triples of the three shortest", &shortest, 3, jobs);
    for (flow, crashes, report) in pairs.broken.iter().chain(&triples.broken).take(1) {
        println!("{}", report.trace.join("\n"));
        println!("`{flow}` with crashes at pause points {crashes:?}: {:?}", report.violations);
    }
    let violations = pairs.broken.len() + triples.broken.len();
    println!(
        "exhaustive: flows={} points={} runs={} violations={violations}",
        pairs.flows,
        pairs.points,
        pairs.runs + triples.runs
    );
    if violations == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn exhaust_under_a_bar(what: &'static str, flows: &[Flow], depth: usize, jobs: NonZero<usize>) -> Exhausted {
    let bar = bar(0, "{bar:40} {pos}/{len} first crashes of the {msg}, {eta} left").with_message(what);
    let exhausted = exhaust(flows, depth, jobs, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    exhausted
}

fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) { bar.with_style(style) } else { bar }
}

fn summarize(total: &Stats, violations: usize) -> ExitCode {
    for kind in Kind::ALL {
        print!("{:>10} {:<34}", total.struck.of(*kind), kind.name());
        for state in PaymentState::ALL {
            print!(" {}={}", format!("{state:?}").to_lowercase(), total.struck.cell(*kind, state));
        }
        println!();
    }
    println!(
        "charges: succeeded={} failed={} refused={} review={}",
        total.succeeded, total.failed, total.refused, total.reviews
    );
    let never = total.never_struck();
    println!(
        "sim: seeds={} steps={} crashes={} lost_replies={} kinds={}/{} violations={violations}",
        total.seeds,
        total.steps,
        total.struck.of(Kind::Crash),
        total.struck.of(Kind::LostReply),
        Kind::ALL.len() - never.len(),
        Kind::ALL.len()
    );
    // A run that never met a kind of fault has proved nothing about it.
    let is_blind = !never.is_empty() && total.seeds >= 1_000;
    if violations == 0 && !is_blind { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints a seed's options, its steps and what it broke; tells whether nothing broke.
fn replay(drawing: Drawing, seed: u64, breakage: Option<Breakage>) -> bool {
    println!("{:#?}", Options::draw(drawing, &mut Rng::new(seed)));
    let report = run_drawn(drawing, seed, |options| options.breakage = breakage, true);
    for line in &report.trace {
        println!("{line}");
    }
    println!("seed {seed}: {} steps, hash {:016x}", report.stats.steps, report.hash);
    for violation in &report.violations {
        println!("VIOLATION {violation}");
    }
    report.violations.is_empty()
}
