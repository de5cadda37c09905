//! The command line. Values are taken as text and judged by the payment's own types, whose refusals never repeat
//! what was typed: it may be a card number.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The operator's tool for Ikkai: a payment happens once.
#[derive(Debug, Parser)]
#[command(name = "ikkai", version, after_help = AFTER_HELP)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

const AFTER_HELP: &str = "Region, credentials and endpoint come from AWS_REGION, AWS_ACCESS_KEY_ID, \
AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_ENDPOINT_URL.";

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Sends a charge to the command queue and prints the payment's id
    Charge(ChargeArgs),
    /// Sends a capture of what an authorization holds
    Capture(PartArgs),
    /// Sends a cancel of a payment whose money is not taken yet
    Cancel(CancelArgs),
    /// Sends a refund
    Refund(PartArgs),
    /// Prints a payment's record for a person to read
    Show(ShowArgs),
    /// Lists what is due, or what needs a person, oldest first
    ///
    /// Reads an index and never scans, unless --all asks for it.
    List(ListArgs),
    /// Shows the progress of payments until each is settled or needs a person
    ///
    /// Ends with 0 if all are settled, 3 if one needs a person or cannot be read, 4 if the time is over.
    Watch(WatchArgs),
}

/// Where the record is.
#[derive(Debug, Args)]
pub struct TableArgs {
    /// Name of the payments table
    #[arg(long, env = "IKKAI_TABLE")]
    pub table: Option<String>,
    /// Endpoint instead of the one that AWS_ENDPOINT_URL names
    #[arg(long)]
    pub endpoint_url: Option<String>,
}

/// Where commands go.
#[derive(Debug, Args)]
pub struct QueueArgs {
    /// URL of the command queue
    #[arg(long, env = "IKKAI_QUEUE_URL")]
    pub queue_url: Option<String>,
    /// Endpoint instead of the one that AWS_ENDPOINT_URL names
    #[arg(long)]
    pub endpoint_url: Option<String>,
}

/// A charge.
#[derive(Debug, Args)]
pub struct ChargeArgs {
    /// Whose payment it is
    #[arg(long)]
    pub tenant: String,
    /// The order paid
    #[arg(long)]
    pub order: String,
    /// Amount in the currency's minor unit: cents for usd, yen for jpy
    #[arg(long)]
    pub amount: String,
    /// Three-letter currency code
    #[arg(long)]
    pub currency: String,
    /// The provider's id of the customer: cus_…
    #[arg(long)]
    pub customer: String,
    /// The provider's id of the stored payment method: pm_… or card_…
    #[arg(long)]
    pub payment_method: String,
    /// Name of this attempt; a further attempt after a decline needs another one [default: 1]
    #[arg(long = "ref")]
    pub reference: Option<String>,
    /// Only authorize: the money is taken by a capture
    #[arg(long)]
    pub manual_capture: bool,
    /// Where commands go.
    #[command(flatten)]
    pub queue: QueueArgs,
}

/// Which payment, and the caller's name for what is asked of it.
#[derive(Debug, Args)]
pub struct OperationArgs {
    /// Whose payment it is
    #[arg(long)]
    pub tenant: String,
    /// The order paid
    #[arg(long)]
    pub order: String,
    /// Name of this operation: the same name again asks for nothing new
    #[arg(long = "ref")]
    pub reference: String,
    /// Where commands go.
    #[command(flatten)]
    pub queue: QueueArgs,
}

/// A capture or refund.
#[derive(Debug, Args)]
pub struct PartArgs {
    /// What it is about.
    #[command(flatten)]
    pub operation: OperationArgs,
    /// Amount in the currency's minor unit [default: all there is]
    #[arg(long)]
    pub amount: Option<String>,
}

/// A cancel.
#[derive(Debug, Args)]
pub struct CancelArgs {
    /// What it is about.
    #[command(flatten)]
    pub operation: OperationArgs,
    /// What to do if the money turns out to be taken: refuse, or refund all of it
    #[arg(long, default_value = "refuse")]
    pub if_captured: String,
}

/// What to list.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What needs a person, the longest waiting first
    #[arg(long, conflicts_with_all = ["due", "all"])]
    pub review: bool,
    /// What a machine will look at again, the earliest first: the default
    #[arg(long, conflicts_with = "all")]
    pub due: bool,
    /// Every payment, in no order: one scan of the whole table
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// The most payments listed
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Print JSON, a line each
    #[arg(long)]
    pub json: bool,
    /// Where the records are.
    #[command(flatten)]
    pub table: TableArgs,
}

/// Which payment to show, and how.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The payment's id
    #[arg(required_unless_present_all = ["tenant", "order"], conflicts_with_all = ["tenant", "order"])]
    pub payment_id: Option<String>,
    /// Whose payment it is
    #[arg(long, requires = "order")]
    pub tenant: Option<String>,
    /// The order paid
    #[arg(long, requires = "tenant")]
    pub order: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Where the record is.
    #[command(flatten)]
    pub table: TableArgs,
}

/// Which payments to watch, and for how long.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Ids of the payments
    #[arg(required_unless_present_any = ["file", "count"], conflicts_with_all = ["file", "count"])]
    pub payment_ids: Vec<String>,
    /// File with one id a line
    #[arg(long, conflicts_with = "count")]
    pub file: Option<PathBuf>,
    /// Read this many ids from standard input, one a line, before watching
    #[arg(long)]
    pub count: Option<usize>,
    /// Seconds to watch at the most
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
    /// Where the record is.
    #[command(flatten)]
    pub table: TableArgs,
}
