//! `ordain test-server`: a server of its own for one command.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};

use clap::{Args, Parser};
use ordain_host::test_api::PATH;
use ordain_value::{json, value};

use super::serve::{Ready, Serve};
use super::{Failure, complain, say};

/// The exit code when the command could not be run.
const NOT_RUN: u8 = 127;

const EXAMPLES: &str = "\
Examples:
  # A test suite with KUBECONFIG set
  ordain test-server -- go test ./...

  # With definitions and objects to begin with, and pods that become ready
  ordain test-server -f config/crd --controllers=none,fake-all -- pytest

  # Without a command: prints where it is as one line of JSON and serves until standard input ends
  ordain test-server --insecure-http

The command finds these variables: KUBECONFIG, ORDAIN_TEST_URL and ORDAIN_TEST_TOKEN (the test API),
ORDAIN_SERVER_URL, and USE_EXISTING_CLUSTER=true, by which controller-runtime's envtest uses this
server in place of starting its own.";

/// Serve in memory, with the test API, while a command runs; exits with its exit code.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TestServer {
    /// Load the manifests of this file or directory at startup (may be repeated)
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,
    /// Which controllers run, as for `ordain serve`
    #[arg(long, value_name = "NAMES", default_value = "none")]
    controllers: String,
    /// Outcomes that fake controllers produce: a YAML file
    #[arg(long, value_name = "FILE")]
    fake_outcomes: Option<PathBuf>,
    /// Serve plain HTTP without authentication instead of HTTPS
    #[arg(long)]
    insecure_http: bool,
    /// The command and its arguments
    #[arg(last = true)]
    command: Vec<OsString>,
}

/// `ordain serve` on its own, to read its arguments.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    serve: Serve,
}

impl TestServer {
    pub(crate) fn run(self) -> ExitCode {
        let folder = std::env::temp_dir().join(format!("ordain-test-{}", std::process::id()));
        let ended = self.serve(&folder);
        let _ = std::fs::remove_dir_all(&folder);
        match ended {
            Ok(code) => code,
            Err(why) => {
                complain(&why);
                ExitCode::from(NOT_RUN)
            }
        }
    }

    fn serve(self, folder: &Path) -> Result<ExitCode, Failure> {
        let line = Line::try_parse_from(self.arguments(folder)).map_err(|it| it.to_string())?;
        let command = self.command;
        let came = line.serve.run_with(|_, ready| {
            let work = Work::new(command, ready);
            async move { work.run().await }
        })?;
        // A signal to stop ends the command as well.
        came.unwrap_or(Ok(ExitCode::SUCCESS))
    }

    fn arguments(&self, folder: &Path) -> Vec<OsString> {
        let mut line: Vec<OsString> =
            ["serve", "--store=memory", "--test-api"].map(Into::into).into();
        line.push(if self.insecure_http { "--insecure-http" } else { "--listen" }.into());
        line.push("127.0.0.1:0".into());
        line.push("--data-dir".into());
        line.push(folder.into());
        line.push(format!("--controllers={}", self.controllers).into());
        for path in &self.filename {
            line.push("--filename".into());
            line.push(path.into());
        }
        if let Some(path) = &self.fake_outcomes {
            line.push("--fake-outcomes".into());
            line.push(path.into());
        }
        line
    }
}

/// What is done while the server runs.
struct Work {
    command: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    reported: String,
}

impl Work {
    fn new(command: Vec<OsString>, ready: &Ready) -> Self {
        let url = format!("{}{PATH}", ready.url);
        let token = ready.token.clone().unwrap_or_default();
        let kubeconfig = ready.kubeconfig.clone().unwrap_or_default();
        let reported = value!({
            "url": (ready.url.as_str()),
            "kubeconfig": (kubeconfig.display().to_string()),
            "testApi": (url.as_str()),
            "token": (token.as_str())
        });
        let variables = vec![
            ("KUBECONFIG", kubeconfig.into_os_string()),
            ("ORDAIN_SERVER_URL", ready.url.as_str().into()),
            ("ORDAIN_TEST_URL", url.into()),
            ("ORDAIN_TEST_TOKEN", token.into()),
            ("USE_EXISTING_CLUSTER", "true".into()),
        ];
        Self { command, variables, reported: json::encode_string(&reported) }
    }

    async fn run(self) -> Result<ExitCode, Failure> {
        let Some((program, arguments)) = self.command.split_first() else {
            say(&self.reported);
            let end = tokio::task::spawn_blocking(|| {
                std::io::copy(&mut std::io::stdin().lock().take(u64::MAX), &mut std::io::sink())
            });
            let _ = end.await;
            return Ok(ExitCode::SUCCESS);
        };
        let mut command = tokio::process::Command::new(program);
        command.args(arguments).envs(self.variables).kill_on_drop(true);
        let status = command.status().await;
        let status =
            status.map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        Ok(ExitCode::from(code(status)))
    }
}

/// The exit code of a command; that of shells for one that a signal ended.
fn code(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}
