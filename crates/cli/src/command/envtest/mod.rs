//! The drop-in for controller-runtime's envtest: `ordain envtest` makes a folder with
//! `kube-apiserver` and `etcd`, which are this binary under other names.

mod etcd;
mod flags;
mod kube_apiserver;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::{Failure, say};
pub(crate) use etcd::run as run_etcd;
pub(crate) use kube_apiserver::{Asked, serve_arguments};

/// The release whose behaviour is served.
const RELEASE: &str = "1.36.4";

/// Serve operators' test suites in place of kube-apiserver and etcd.
///
/// `eval $(ordain envtest use -p env)` before `go test ./...` is all that a suite which uses
/// controller-runtime's envtest needs.
#[derive(Debug, Args)]
pub(crate) struct Envtest {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Create a directory with `kube-apiserver` and `etcd`, and print how to use it.
    #[command(alias = "use")]
    Install {
        /// The directory [default: ~/.local/share/ordain/envtest].
        dir: Option<PathBuf>,
        /// What to print.
        #[arg(short, long, value_enum, default_value_t = Print::Overview)]
        print: Print,
    },
    /// Print the default directory of `install`.
    Path,
    /// List the releases that are built in.
    #[command(alias = "i", alias = "installed")]
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Print {
    /// Version and directory, for people.
    Overview,
    /// The directory alone.
    Path,
    /// `export KUBEBUILDER_ASSETS=…`, for a shell to evaluate.
    Env,
}

impl Envtest {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.verb {
            Verb::Install { dir, print } => install(dir, print),
            Verb::Path => {
                say(&default_dir()?.display().to_string());
                Ok(())
            }
            Verb::List => {
                say(&format!("(installed)  v{RELEASE}  {}", platform()));
                Ok(())
            }
        }
    }
}

/// System and machine in the words of setup-envtest, which are Go's.
fn platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        os => os,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        machine => machine,
    };
    format!("{os}/{machine}")
}

fn default_dir() -> Result<PathBuf, Failure> {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/share"));
    let base = data.or_else(home).ok_or("neither XDG_DATA_HOME nor HOME is set; name a folder")?;
    Ok(base.join("ordain").join("envtest"))
}

fn install(dir: Option<PathBuf>, print: Print) -> Result<(), Failure> {
    let dir = match dir {
        Some(dir) => dir,
        None => default_dir()?,
    };
    let fail = |what: &str, error: std::io::Error| format!("{what}: {error}");
    std::fs::create_dir_all(&dir)
        .map_err(|error| fail(&format!("cannot make {}", dir.display()), error))?;
    let dir = dir.canonicalize().map_err(|error| fail("cannot find the folder", error))?;
    let own = std::env::current_exe().map_err(|error| fail("cannot find this binary", error))?;
    link(&own, &dir.join("kube-apiserver"))?;
    link(&own, &dir.join("etcd"))?;
    // Tests that call kubectl bring their own, if there is one.
    if let Some(kubectl) = on_path("kubectl") {
        link(&kubectl, &dir.join("kubectl"))?;
    }
    let shown = dir.display();
    match print {
        Print::Path => say(&shown.to_string()),
        Print::Env => say(&format!("export KUBEBUILDER_ASSETS='{shown}'")),
        Print::Overview => {
            say(&format!("Version: {RELEASE}\nOS/Arch: {}\nPath: {shown}", platform()));
            say(&format!("KUBEBUILDER_ASSETS={shown}"));
        }
    }
    Ok(())
}

/// Makes `name` another name of a program, in place of what was there.
fn link(program: &Path, name: &Path) -> Result<(), Failure> {
    let _ = std::fs::remove_file(name);
    #[cfg(unix)]
    let linked = std::os::unix::fs::symlink(program, name);
    #[cfg(not(unix))]
    let linked = std::fs::copy(program, name).map(drop);
    linked.map_err(|error| format!("cannot make {}: {error}", name.display()))
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|it| it.is_file())
}

/// What a call of the binary under another name asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CalledAs {
    Ordain,
    KubeApiserver,
    Etcd,
}

/// By which name the binary was called.
pub(crate) fn called_as(program: Option<&OsString>) -> CalledAs {
    let name = program.and_then(|it| Path::new(it).file_stem()).and_then(|it| it.to_str());
    match name {
        Some("kube-apiserver") => CalledAs::KubeApiserver,
        Some("etcd") => CalledAs::Etcd,
        _ => CalledAs::Ordain,
    }
}
