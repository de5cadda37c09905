//! Starting and stopping the emulators. `infra/local/emulators.py` does the work; it ends everything when its input
//! closes, so a test that panics, is killed or keeps them in a static leaves no process behind.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::OnceLock,
    time::Duration,
};

use adapters::{SdkConfig, sdk, settings::Environment};
use anyhow::{Context, Result, bail};
use aws_smithy_types::timeout::TimeoutConfig;

/// The emulators that every machine can run, and the simulated Stripe.
pub const EVERYWHERE: [&str; 3] = ["ministack", "moto", "stripe-sim"];

/// The emulator that needs a newer Python than the rest.
pub const LOCALSTACK: &str = "localstack";

/// How long an emulator may take to reply. A retry for its slowness alone would make things twice: only [`crate::Lossy`]
/// is to bring retries about.
const PATIENCE: Duration = Duration::from_secs(20);

/// Running emulators. Dropping them ends every process.
#[derive(Debug)]
pub struct Emulators {
    endpoints: BTreeMap<String, String>,
    server: Child,
    input: Option<ChildStdin>,
}

impl Emulators {
    /// Starts the named ones and waits until they answer.
    ///
    /// # Errors
    /// Returns an error if one does not start; what it said is on standard error.
    pub fn start(names: &[&str]) -> Result<Self> {
        let root = root();
        let python = root.join("target/venv/bin/python");
        if !python.is_file() {
            bail!("target/venv is missing: run `make setup`");
        }
        let logs = root.join(format!("target/local/conformance-{}", std::process::id()));
        let mut command = Command::new(python);
        command.arg(root.join("infra/local/emulators.py")).args(names).arg("--dir").arg(&logs);
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("infra/local/emulators.py does not start")?;
        let input = server.stdin.take();
        let output = server.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.is_empty() {
            bail!("the emulators did not start ({}); their logs are in {}", server.wait()?, logs.display());
        }
        let endpoints =
            serde_json::from_str(&line).context("the server's line is not what this library reads")?;
        // The control API of stripe-sim is asked in plain HTTP, but reqwest wants a TLS provider even then. A second
        // call finds it installed: that is no error.
        drop(rustls::crypto::ring::default_provider().install_default());
        Ok(Self { endpoints, server, input })
    }

    /// Those of [`EVERYWHERE`], shared by all tests of a process.
    ///
    /// # Panics
    /// When they do not start: no test can do without them.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Emulators> = OnceLock::new();
        SHARED.get_or_init(|| match Self::start(&EVERYWHERE) {
            Ok(emulators) => emulators,
            Err(error) => panic!("{error:#}"),
        })
    }

    /// Tells whether `make setup` found a Python for LocalStack.
    #[must_use]
    pub fn has_localstack() -> bool {
        root().join("target/venv-localstack/made").is_file()
    }

    /// Returns where an emulator answers.
    ///
    /// # Errors
    /// Returns an error if it was not started.
    pub fn endpoint(&self, name: &str) -> Result<&str> {
        self.endpoints.get(name).map(String::as_str).with_context(|| format!("{name} was not started"))
    }
}

impl Drop for Emulators {
    fn drop(&mut self) {
        drop(self.input.take());
        if let Err(error) = self.server.wait() {
            eprintln!("the emulators' server cannot be waited for: {error}");
        }
    }
}

/// Returns what the adapters are configured with, for an endpoint, but for the timeouts.
///
/// # Errors
/// Returns an error if the configuration is not one.
pub fn aws(endpoint: &str) -> Result<SdkConfig> {
    let environment = Environment::from([
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_ENDPOINT_URL", endpoint),
    ]);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(PATIENCE)
        .operation_attempt_timeout(PATIENCE)
        .operation_timeout(2 * PATIENCE)
        .build();
    Ok(sdk::for_cli(&environment)?.into_builder().timeout_config(timeouts).build())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
