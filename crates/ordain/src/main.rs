//! The `ordain` command.

mod command;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// A declarative API machine: serve, validate and generate Kubernetes-style APIs.
#[derive(Debug, Parser)]
#[command(name = "ordain", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve APIs over HTTP.
    Serve(command::serve::Serve),
    /// Check the embedded store of a data folder.
    Fsck(command::fsck::Fsck),
    /// Save the embedded store to a file, or make a data folder from one.
    #[command(subcommand)]
    Snapshot(command::snapshot::Snapshot),
    #[command(name = "gen")]
    Generate(command::generate::Generate),
    Tags(command::tags::Tags),
    Validate(command::validate::Validate),
    ExplainDefaults(command::author::ExplainDefaults),
    Cost(command::author::Cost),
    Test(command::author::Test),
    Completions(command::completions::Completions),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Serve(serve) => serve.run(),
        Command::Fsck(fsck) => fsck.run(),
        Command::Snapshot(snapshot) => snapshot.run(),
        Command::Generate(generate) => generate.run(),
        Command::Tags(tags) => tags.run(),
        Command::Validate(validate) => return command::guarded(|| validate.run()),
        Command::ExplainDefaults(explain) => return command::guarded(|| explain.run()),
        Command::Cost(cost) => return command::guarded(|| cost.run()),
        Command::Test(test) => return command::guarded(|| test.run()),
        Command::Completions(completions) => return completions.run(Cli::command()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            command::complain(&error);
            ExitCode::FAILURE
        }
    }
}
