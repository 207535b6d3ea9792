//! The page of tags is the registry's.

use std::path::Path;

#[test]
fn the_page_of_tags_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tags.md");
    let expected = ordain_idl::tags::registry::markdown();
    if std::env::var_os("ORDAIN_WRITE").is_some() {
        std::fs::write(&path, &expected).expect("the page is written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "docs/tags.md is stale; run this test with ORDAIN_WRITE=1");
}
