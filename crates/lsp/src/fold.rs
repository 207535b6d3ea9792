//! What can be folded: documents, and keys and items whose values take several lines.

use ordain_check::{Source, manifest};
use ordain_value::yaml::{Mark, Marks};
use ordain_value::{Value, value};

use crate::text::{Text, int};

pub(crate) fn ranges(text: &Text) -> Value {
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let mut out = Vec::new();
    // The objects of a list share the marks of their document.
    let mut last: Option<*const Marks> = None;
    for manifest in &contents.manifests {
        let marks = &manifest.marks;
        let this = std::sync::Arc::as_ptr(marks);
        if last.replace(this) == Some(this) {
            continue;
        }
        let Some(root) = marks.root() else { continue };
        let mut pending = vec![root];
        while let Some(mark) = pending.pop() {
            out.extend(range(text, mark));
            pending.extend(marks.keys(mark).map(|it| it.1));
            pending.extend(marks.items(mark));
        }
    }
    out.into()
}

fn range(text: &Text, mark: &Mark) -> Option<Value> {
    let bytes = &mark.value.bytes;
    let start = mark.key.as_ref().unwrap_or(&mark.value).bytes.start;
    let inside = text.content.get(start..bytes.end.min(text.content.len()))?;
    let end = start + inside.trim_end().len();
    let from = mark.key.as_ref().map_or(mark.value.line, |it| it.line).checked_sub(1)?;
    let to = from + text.content.get(start..end)?.matches('\n').count();
    (to > from).then(|| value!({"startLine": int(from), "endLine": int(to)}))
}
