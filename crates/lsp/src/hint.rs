//! Defaults that the server would add, behind the lines that they belong to.

use ordain_check::{Catalog, Source, manifest};
use ordain_value::yaml::{Mark, Marks};
use ordain_value::{Value, json, value};

use crate::text::Text;

/// Defaults named in one hint.
const NAMED_MAX: usize = 4;

/// Characters of a value that are shown.
const SHOWN_MAX: usize = 40;

/// Levels that are looked at.
const DEPTH_MAX: usize = 64;

/// The hints of a text between two bytes.
pub(crate) fn within(catalog: &Catalog, text: &Text, range: &Value) -> Value {
    let at = |key: &str, usual: usize| range.get(key).map_or(usual, |it| text.offset(it));
    let (start, end) = (at("start", 0), at("end", text.content.len()));
    let contents = manifest::read(0, &Source::new("a.yaml", text.content.as_bytes()));
    let mut hints = Vec::new();
    for manifest in contents.manifests.iter().filter(|it| !it.is_definition()) {
        let Ok(kind) = catalog.find(&manifest.gvk) else { continue };
        let verdict = kind.judge_create(&manifest.value);
        let (Some(stored), Some(root)) = (verdict.object, manifest.marks.find(&manifest.prefix))
        else {
            continue;
        };
        let mut walk = Walk { text, marks: &manifest.marks, hints: &mut hints };
        // Metadata and status are the server's own.
        for (key, mark) in manifest.marks.keys(root.mark) {
            let own = matches!(key.as_str(), "metadata" | "status" | "kind" | "apiVersion");
            if let (false, Some(given), Some(kept)) =
                (own, manifest.value.get(key), stored.get(key))
            {
                walk.compare(mark, given, kept, 0);
            }
        }
    }
    let inside = |(at, _): &&(usize, String)| start <= *at && *at <= end;
    let shown = hints.iter().filter(inside).map(|(at, label)| {
        value!({
            "position": text.position(*at),
            "label": (label.as_str()),
            "paddingLeft": true,
            "tooltip": "set by default"
        })
    });
    shown.collect::<Vec<Value>>().into()
}

struct Walk<'w> {
    text: &'w Text,
    marks: &'w Marks,
    hints: &'w mut Vec<(usize, String)>,
}

impl Walk<'_> {
    fn compare(&mut self, mark: &Mark, given: &Value, stored: &Value, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        match (given, stored) {
            (Value::Map(given), Value::Map(stored)) => {
                let added: Vec<String> = stored
                    .iter()
                    .filter(|(key, _)| !given.contains_key(key))
                    .map(|(key, value)| format!("{key}: {}", shown(value)))
                    .collect();
                self.tell(mark, &added);
                for (key, child) in self.marks.keys(mark) {
                    if let (Some(a), Some(b)) = (given.get(key), stored.get(key)) {
                        self.compare(child, a, b, depth + 1);
                    }
                }
            }
            (Value::List(given), Value::List(stored)) if given.len() == stored.len() => {
                let pairs = given.iter().zip(stored.iter());
                for (item, (a, b)) in self.marks.items(mark).zip(pairs) {
                    self.compare(item, a, b, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Puts what was added behind the line that a mapping starts on.
    fn tell(&mut self, mark: &Mark, added: &[String]) {
        if added.is_empty() {
            return;
        }
        let start = mark.key.as_ref().unwrap_or(&mark.value).bytes.start;
        let rest = self.text.content.get(start..).unwrap_or_default();
        let end = start + rest.find('\n').unwrap_or(rest.len());
        let more = match added.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = added.iter().take(NAMED_MAX).cloned().collect::<Vec<String>>().join(", ");
        self.hints.push((end, format!("+ {named}{more}")));
    }
}

fn shown(value: &Value) -> String {
    let text = json::encode_string(value);
    match text.char_indices().nth(SHOWN_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
