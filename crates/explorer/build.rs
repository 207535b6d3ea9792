//! Compresses the files of the page once, so that the binary carries them ready to send.

use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

const FILES: [&str; 4] = ["index.html", "app.js", "app.css", "licenses.txt"];

fn main() -> io::Result<()> {
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    for name in FILES {
        let source = Path::new("assets").join(name);
        println!("cargo::rerun-if-changed={}", source.display());
        // No name and no time in the header: the same page makes the same bytes.
        let mut encoder =
            flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::best());
        encoder.write_all(&fs::read(&source)?)?;
        fs::write(Path::new(&out).join(format!("{name}.gz")), encoder.finish()?)?;
    }
    Ok(())
}
