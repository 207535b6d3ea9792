//! `ordain man`: manual pages and the published schema of the configuration.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::validate::{CLEAN, UNUSABLE};
use super::{complain, say};

/// Generate the manual pages, or the JSON Schema of the configuration file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  ordain man --output-dir ~/.local/share/man/man1
  ordain man | man -l -")]
pub(crate) struct Man {
    /// Write one file per command here; without it the page of `ordain` goes to standard output
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,

    /// Print the JSON Schema of .ordain.yaml instead
    #[arg(long, conflicts_with = "output_dir")]
    config_schema: bool,
}

impl Man {
    pub(crate) fn run(&self, command: clap::Command) -> ExitCode {
        if self.config_schema {
            say(&ordain_value::json::encode_pretty(&crate::config::schema(&command)));
            return ExitCode::from(CLEAN);
        }
        let command = command.disable_help_subcommand(true);
        let done = match &self.output_dir {
            Some(folder) => std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(command, folder)),
            None => clap_mangen::Man::new(command).render(&mut std::io::stdout().lock()),
        };
        match done {
            Ok(()) => ExitCode::from(CLEAN),
            Err(error) => {
                complain(&error.to_string());
                ExitCode::from(UNUSABLE)
            }
        }
    }
}
