//! `ordain lsp`: the language server.

use std::io::BufReader;
use std::process::ExitCode;

use clap::Args;
use ordain_check::{go_type, workspace};
use ordain_lsp::{Files, Session};

use super::complain;
use super::kinds::Kinds;
use super::validate::{CLEAN, UNUSABLE};

/// Run the language server for editors, over standard input and output.
///
/// Diagnostics are those of `ordain validate`; hover, completion, definitions, quick fixes,
/// defaults, outlines, formatting and renaming come with them. Kinds come from the options, from
/// the schema store, and from definitions in the editor's folders and in open files. Admission
/// policies in the folders judge what is open.
#[derive(Debug, Args)]
pub(crate) struct Lsp {
    #[command(flatten)]
    kinds: Kinds,
    /// Taken for granted; editors add it
    #[arg(long, hide = true)]
    stdio: bool,
}

impl Lsp {
    pub(crate) fn run(&self) -> ExitCode {
        let gathered = match self.kinds.gather(None) {
            Ok(gathered) => gathered,
            Err(wrong) => {
                wrong.iter().for_each(|it| complain(it));
                return ExitCode::from(UNUSABLE);
            }
        };
        let mut input = BufReader::new(std::io::stdin().lock());
        let mut output = std::io::stdout().lock();
        let files = Files {
            look: workspace::look,
            role: workspace::role,
            definitions: workspace::definitions_of_file,
            go_types: go_type::of_kind,
        };
        let session = Session::new(gathered.catalog, files);
        match ordain_lsp::serve(&mut input, &mut output, session) {
            Ok(true) => ExitCode::from(CLEAN),
            // The protocol: an exit without a shutdown is a failure.
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                complain(&error.to_string());
                ExitCode::from(UNUSABLE)
            }
        }
    }
}
