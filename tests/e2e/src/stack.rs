//! Starting and stopping the stack. `infra/local/stack.py serve` does the work; it ends everything when its input
//! closes, so a test that panics, is killed or keeps its stack in a static leaves no process behind.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// How a stack is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// The CloudFormation stack's name, a part of every resource's name.
    pub stack: String,
    /// Parameters of `template.yaml` beside those of the local stage.
    pub parameters: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { stack: "ikkai".to_owned(), parameters: Vec::new() }
    }
}

/// The outputs of `template.yaml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Outputs {
    /// The table of payments.
    pub table_name: String,
    /// The FIFO queue of commands.
    pub queue_url: String,
    /// Where commands go that could not be recorded.
    pub dead_letter_url: String,
    /// Where asynchronous invokes go that Lambda gave up on.
    pub async_failures_url: String,
    /// Where `OrderConfirmed` events go that never reached a function.
    pub order_rule_failures_url: String,
    /// Where events go that could not be announced.
    pub publish_failures_url: String,
    /// The bus that outcomes are announced on.
    pub bus_name: String,
}

/// What `stack.py serve` prints once everything answers.
#[derive(Debug, Deserialize)]
struct Ready {
    endpoint: String,
    stripe_url: String,
    stack: String,
    dir: PathBuf,
    outputs: Outputs,
    api_url: String,
    callers: BTreeMap<String, Caller>,
}

/// The access key of an IAM user.
#[derive(Debug, Deserialize)]
struct Caller {
    access_key_id: String,
}

/// A running stack. Dropping it ends every process it started.
#[derive(Debug)]
pub struct Stack {
    ready: Ready,
    server: Child,
    input: Option<ChildStdin>,
}

impl Stack {
    /// Starts a stack of its own and waits until it is deployed, about fifteen seconds.
    pub fn start(options: &Options) -> Result<Self> {
        let root = root();
        let python = root.join("target/venv/bin/python");
        if !python.is_file() {
            bail!("target/venv is missing: run `make setup`");
        }
        let dir = root.join(format!("target/local/{}-{}-{}", options.stack, std::process::id(), serial()));
        let mut command = Command::new(python);
        command.arg(root.join("infra/local/stack.py"));
        command.args(["serve", "--deploy", "--until-eof", "--stack", &options.stack, "--dir"]).arg(&dir);
        for (name, value) in &options.parameters {
            command.arg("--parameter").arg(format!("{name}={value}"));
        }
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("infra/local/stack.py does not start")?;
        let input = server.stdin.take();
        let output = server.stdout.take().context("the server has no output")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        if line.is_empty() {
            bail!("the stack did not start ({}); its logs are in {}", server.wait()?, dir.display());
        }
        let ready =
            serde_json::from_str(&line).context("the server's line is not what this library reads")?;
        install_crypto();
        Ok(Self { ready, server, input })
    }

    /// The stack that all tests of a process share, started by the first that asks.
    ///
    /// # Panics
    /// When it does not start: no test can do without it.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Stack> = OnceLock::new();
        SHARED.get_or_init(|| match Self::start(&Options::default()) {
            Ok(stack) => stack,
            Err(error) => panic!("{error:#}"),
        })
    }

    /// The URL that every AWS service answers on.
    pub fn endpoint(&self) -> &str {
        &self.ready.endpoint
    }

    /// The simulated Stripe's URL, its control API included.
    pub fn stripe_url(&self) -> &str {
        &self.ready.stripe_url
    }

    /// The HTTP API's URL, without a final slash.
    pub fn api_url(&self) -> &str {
        &self.ready.api_url
    }

    /// The access key id of a caller of the HTTP API: the IAM user of that name, `shop` or `stall`.
    pub(crate) fn access_key_id(&self, caller: &str) -> Option<&str> {
        self.ready.callers.get(caller).map(|caller| caller.access_key_id.as_str())
    }

    /// The CloudFormation stack's name.
    pub fn name(&self) -> &str {
        &self.ready.stack
    }

    /// Where the logs of the emulator, the simulated Stripe and the deployment are.
    pub fn logs(&self) -> &Path {
        &self.ready.dir
    }

    /// The outputs of the template.
    pub fn outputs(&self) -> &Outputs {
        &self.ready.outputs
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        drop(self.input.take());
        if let Err(error) = self.server.wait() {
            eprintln!("the stack's server cannot be waited for: {error}");
        }
    }
}

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Numbers the stacks of a process.
fn serial() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Gives reqwest its TLS provider, once; it asks for one even for plain HTTP.
fn install_crypto() {
    // A second call, by another stack of this process, finds it installed: that is no error.
    drop(rustls::crypto::ring::default_provider().install_default());
}
