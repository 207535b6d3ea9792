//! `ordain replay`: makes the requests of a transcript again and compares the answers.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use ordain_testkit::{Client, Level, Outcome, play_file};

use super::validate::{CLEAN, FINDINGS, UNUSABLE};
use super::{Failure, complain, say};

/// Replay the requests of a transcript and compare the answers.
///
/// A transcript is what the test API recorded (`GET /ordain.test/v1/transcript`): JSON lines, plain
/// or gzipped. Versions, uids and times do not count. The server must be reached by plain HTTP,
/// such as one of `ordain test-server --insecure-http` or behind `kubectl proxy`.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The transcripts
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// URL of the server
    #[arg(long, value_name = "URL")]
    server: String,
    /// Maximum number of differences to show
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    show: usize,
}

impl Replay {
    pub(crate) fn run(&self) -> ExitCode {
        match self.play() {
            Ok(true) => ExitCode::from(CLEAN),
            Ok(false) => ExitCode::from(FINDINGS),
            Err(why) => {
                complain(&why);
                ExitCode::from(UNUSABLE)
            }
        }
    }

    /// Plays all files; true if every answer agrees.
    fn play(&self) -> Result<bool, Failure> {
        let mut client = Client::new(address(&self.server)?);
        let mut outcomes = Vec::new();
        for file in &self.files {
            let name = file.display().to_string();
            let played = play_file(&mut client, file, &name);
            outcomes.extend(played.map_err(|error| format!("{name}: {error}"))?);
        }
        let differs = |it: &&Outcome| it.level != Level::Exact || !it.warnings_agree;
        for outcome in outcomes.iter().filter(differs).take(self.show) {
            say(&format!("{}: {}", outcome.place, outcome.shown));
        }
        let different = outcomes.iter().filter(differs).count();
        say(&format!("{} requests, {different} answers differ", outcomes.len()));
        Ok(different == 0)
    }
}

fn address(server: &str) -> Result<SocketAddr, Failure> {
    let host = server.strip_prefix("http://").ok_or("--server: an http:// address is needed")?;
    let host = host.trim_end_matches('/');
    let mut found =
        host.to_socket_addrs().map_err(|error| format!("--server {server}: {error}"))?;
    found.next().ok_or_else(|| format!("--server {server}: there is no such host"))
}
