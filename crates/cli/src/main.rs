//! The `ordain` command.

mod cluster;
mod command;
mod config;
mod kubeconform;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use command::envtest::{Asked, CalledAs, called_as, serve_arguments};

/// A declarative API machine: serve, validate and generate Kubernetes-style APIs.
#[derive(Debug, Parser)]
#[command(name = "ordain", version, about)]
struct Cli {
    /// Configuration file; `none` reads no file [default: .ordain.yaml in this directory or above]
    #[arg(long, global = true, value_name = "FILE", env = "ORDAIN_CONFIG")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve APIs over HTTPS, with a kubeconfig to use them.
    Serve(Box<command::serve::Serve>),
    /// Check the embedded store of a data directory.
    Fsck(command::fsck::Fsck),
    /// Save the embedded store to a file, or restore one.
    #[command(subcommand)]
    Snapshot(command::snapshot::Snapshot),
    #[command(name = "gen")]
    Generate(command::generate::Generate),
    Tags(command::tags::Tags),
    Validate(command::validate::Validate),
    Schemas(command::schemas::Schemas),
    Lint(command::lint::Lint),
    Diff(command::diff::Diff),
    Convert(command::convert::Convert),
    ExplainDefaults(command::author::ExplainDefaults),
    Cost(command::author::Cost),
    Test(command::author::Test),
    Conventions(command::conventions::Conventions),
    Cel(command::cel::Cel),
    Lsp(command::lsp::Lsp),
    Explore(command::explore::Explore),
    Envtest(command::envtest::Envtest),
    TestServer(command::test_server::TestServer),
    Replay(command::replay::Replay),
    Completions(command::completions::Completions),
    Man(command::man::Man),
}

fn main() -> ExitCode {
    match called_as(std::env::args_os().next().as_ref()) {
        CalledAs::Ordain => ordain(),
        CalledAs::Etcd => finish(command::envtest::run_etcd(&texts())),
        CalledAs::KubeApiserver => kube_apiserver(),
    }
}

/// The arguments after the program's name, as text.
fn texts() -> Vec<String> {
    std::env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned()).collect()
}

fn finish(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            command::complain(&error);
            ExitCode::FAILURE
        }
    }
}

/// Serves by the command line of kube-apiserver, for test suites that start one.
fn kube_apiserver() -> ExitCode {
    let asked = match serve_arguments(&texts()) {
        Ok(asked) => asked,
        Err(why) => return finish(Err(why)),
    };
    let (arguments, notes) = match asked {
        Asked::Text(text) => {
            command::say(&text);
            return ExitCode::SUCCESS;
        }
        Asked::Serve { arguments, notes } => (arguments, notes),
    };
    notes.iter().for_each(|it| command::note(it));
    match Cli::try_parse_from(arguments) {
        Ok(Cli { command: Command::Serve(serve), .. }) => finish(serve.run()),
        Ok(_) => finish(Err("the flags ask for no server".to_owned())),
        Err(error) => finish(Err(error.to_string())),
    }
}

fn ordain() -> ExitCode {
    let cli = match arguments().and_then(|it| {
        let matches = cli().try_get_matches_from(it).map_err(Wrong::Usage)?;
        Cli::from_arg_matches(&matches).map_err(Wrong::Usage)
    }) {
        Ok(cli) => cli,
        Err(Wrong::Usage(error)) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
        Err(Wrong::Config(why)) => {
            command::complain(&why);
            return ExitCode::from(command::validate::UNUSABLE);
        }
    };
    let result = match cli.command {
        Command::Serve(serve) => serve.run(),
        Command::Fsck(fsck) => fsck.run(),
        Command::Snapshot(snapshot) => snapshot.run(),
        Command::Generate(generate) => generate.run(),
        Command::Tags(tags) => tags.run(),
        Command::Validate(validate) => return command::guarded(|| validate.run()),
        Command::Schemas(schemas) => return command::guarded(|| schemas.run()),
        Command::Lint(lint) => return command::guarded(|| lint.run()),
        Command::Diff(diff) => return command::guarded(|| diff.run()),
        Command::Convert(convert) => return command::guarded(|| convert.run()),
        Command::ExplainDefaults(explain) => return command::guarded(|| explain.run()),
        Command::Cost(cost) => return command::guarded(|| cost.run()),
        Command::Test(test) => return command::guarded(|| test.run()),
        Command::Conventions(it) => return command::guarded(|| it.run()),
        Command::Cel(cel) => return command::guarded(|| cel.run()),
        Command::Lsp(lsp) => return command::guarded(|| lsp.run()),
        Command::Explore(explore) => explore.run(),
        Command::Envtest(envtest) => envtest.run(),
        Command::TestServer(server) => return server.run(),
        Command::Replay(replay) => return command::guarded(|| replay.run()),
        Command::Completions(completions) => return completions.run(self::cli()),
        Command::Man(man) => return man.run(self::cli()),
    };
    finish(result)
}

/// What is wrong with the command line.
enum Wrong {
    Usage(clap::Error),
    Config(String),
}

/// Under the name `kubectl-ordain` the command is a plugin of kubectl.
fn is_plugin() -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    Path::new(&name).file_stem().is_some_and(|it| it == "kubectl-ordain")
}

fn cli() -> clap::Command {
    let command = Cli::command();
    if is_plugin() { command.bin_name("kubectl ordain") } else { command }
}

/// The arguments, with other tools' flags turned into ours and what the configuration adds.
fn arguments() -> Result<Vec<OsString>, Wrong> {
    let mut given: Vec<OsString> = std::env::args_os().collect();
    if given.get(1).is_some_and(|it| it == "validate")
        && let Some(texts) =
            given[2..].iter().map(|it| it.to_str().map(ToOwned::to_owned)).collect()
    {
        let (turned, notes) = kubeconform::translate(texts);
        notes.iter().for_each(|it| command::note(it));
        given.truncate(2);
        given.extend(turned.into_iter().map(OsString::from));
    }
    config::extend(&cli(), given).map_err(Wrong::Config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_published_schema_of_the_configuration_is_that_of_the_flags() {
        let made = ordain_value::json::encode_pretty(&config::schema(&Cli::command())) + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ordain.schema.json");
        if std::env::var_os("ORDAIN_BLESS").is_some() {
            std::fs::write(&path, &made).expect("the file can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(made == found, "docs/ordain.schema.json is stale; ORDAIN_BLESS=1 writes it");
    }
}
