//! No text makes the parser panic; what it cannot read it explains.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_cel::source::Source;
use ordain_cel::syntax;
use ordain_passes::cel_library::Environment;

fuzz_target!(|text: &str| {
    let source = Source::new(text);
    let (_, diagnostics) = syntax::parse(&source, Environment::declared().env.parse_options());
    let _ = diagnostics.display(&source);
});
