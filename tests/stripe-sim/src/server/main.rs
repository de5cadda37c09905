//! The simulated Stripe as a server: sockets, the real clock and faults of the network around the pure engine.

mod connection;
mod control;
mod counts;
mod faults;
mod hostile;
mod log;
mod operation;
mod plan;
mod settings;
mod shared;

use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use stripe_sim::Settings;
use tokio::net::TcpListener;

use crate::shared::Shared;

/// A Stripe that behaves, with faults on demand.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    /// The port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The secret key that is accepted.
    #[arg(long, default_value = "sk_test_sim")]
    api_key: String,
    /// The account's id.
    #[arg(long, default_value = "acct_sim")]
    account_id: String,
    /// How far search results lie behind, in milliseconds.
    #[arg(long, default_value_t = 0)]
    search_lag_ms: i64,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let settings = Settings {
        api_key: arguments.api_key,
        account_id: arguments.account_id,
        search_lag_ms: arguments.search_lag_ms,
        ..Settings::default()
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port)).await?;
    let port = listener.local_addr()?.port();
    writeln!(io::stdout(), "stripe-sim: listening on http://127.0.0.1:{port}")?;
    io::stdout().flush()?;
    connection::accept(listener, Shared::new(settings, wall_ms)).await
}

#[expect(clippy::disallowed_methods, reason = "the one place where this program reads the clock")]
fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
