//! Rules on the metadata of a kind (KEP-4153's example on `metav1.ObjectMeta`): all kinds share the
//! type, so they become rules of the kind, which may look into name and generateName.

use ordain_schema::Rule;
use ordain_value::Text;

/// A rule about metadata as one about the object that has it.
pub(super) fn lifted(rule: &Rule) -> Rule {
    Rule {
        rule: about_metadata(&rule.rule).into(),
        message_expression: about_metadata(&rule.message_expression).into(),
        // A failure is reported at the place the author sees, and with the author's own words.
        message: if rule.message.is_empty() && rule.message_expression.is_empty() {
            Text::from(format!("failed rule: {}", rule.rule.trim()))
        } else {
            rule.message.clone()
        },
        field_path: Text::from(format!(".metadata{}", rule.field_path)),
        ..rule.clone()
    }
}

/// An expression with `.metadata` behind every `self` and `oldSelf` that is no part of a text or of
/// another name.
fn about_metadata(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut quote: Option<char> = None;
    let mut word = String::new();
    let mut after_dot = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let part_of_name = letter.is_alphanumeric() || letter == '_';
        if quote.is_none() && part_of_name {
            word.push(letter);
            if letters.peek().is_some_and(|it| it.is_alphanumeric() || *it == '_') {
                continue;
            }
            out.push_str(&word);
            if !after_dot && matches!(word.as_str(), "self" | "oldSelf") {
                out.push_str(".metadata");
            }
            word.clear();
            after_dot = false;
            continue;
        }
        match quote {
            Some(_) if letter == '\\' => {
                out.push(letter);
                out.extend(letters.next());
                continue;
            }
            Some(open) if open == letter => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        after_dot = letter == '.';
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::about_metadata;

    #[test]
    fn only_the_variables_change() {
        assert_eq!(
            about_metadata("!has(self.name) || self.name != 'self' && myself.self == oldSelf.x"),
            "!has(self.metadata.name) || self.metadata.name != 'self' && myself.self == oldSelf.metadata.x"
        );
        assert_eq!(about_metadata("'it\\'s self'.size() > 0"), "'it\\'s self'.size() > 0");
    }
}
