//! `ordain completions`: what shells need to complete the command line.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

/// Generate shell completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain completions bash > /etc/bash_completion.d/ordain
  ordain completions zsh > \"${fpath[1]}/_ordain\"
  ordain completions fish > ~/.config/fish/completions/ordain.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut command: clap::Command) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, "ordain", &mut script);
        match std::io::stdout().lock().write_all(&script) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(super::validate::UNUSABLE),
        }
    }
}
