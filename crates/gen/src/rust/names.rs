//! Names in Rust's spelling.

/// Words that cannot be names.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized",
    "use", "virtual", "where", "while", "yield",
];

/// Words that cannot be names even as `r#…`.
const RESERVED: &[&str] = &["self", "Self", "super", "crate", "_"];

/// The words of a name: `podIPs` has `pod`, `I` and `Ps`.
fn words(name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, letter) in letters.iter().enumerate() {
        if !letter.is_alphanumeric() {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let starts = letter.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase() || c.is_ascii_digit())
                || (before.is_some_and(|c| c.is_uppercase())
                    && after.is_some_and(|c| c.is_lowercase())));
        if starts && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        word.push(*letter);
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// `snake_case`
pub(super) fn snake(name: &str) -> String {
    let words: Vec<String> = words(name).iter().map(|word| word.to_lowercase()).collect();
    words.join("_")
}

/// A field's or module's name.
pub(super) fn field(name: &str) -> String {
    let snake = snake(name);
    let snake = match snake.chars().next() {
        None => "field".to_string(),
        Some(first) if first.is_ascii_digit() => format!("_{snake}"),
        Some(_) => snake,
    };
    if RESERVED.contains(&snake.as_str()) {
        format!("{snake}_")
    } else if KEYWORDS.contains(&snake.as_str()) {
        format!("r#{snake}")
    } else {
        snake
    }
}

/// `CamelCase`, for types and variants.
pub(super) fn camel(name: &str) -> String {
    let out: String = words(name)
        .iter()
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            format!("{first}{}", letters.as_str())
        })
        .collect();
    match out.chars().next() {
        None => "Empty".into(),
        Some(first) if first.is_ascii_digit() => format!("V{out}"),
        Some(_) if out == "Self" => "Self_".into(),
        Some(_) => out,
    }
}

/// What serde's `rename_all = "camelCase"` makes of a field's name.
pub(super) fn serde_camel(field: &str) -> String {
    let field = field.strip_prefix("r#").unwrap_or(field);
    let mut out = String::with_capacity(field.len());
    let mut capital = false;
    for (at, letter) in field.chars().enumerate() {
        match letter {
            '_' => capital = at > 0,
            _ if capital => {
                out.extend(letter.to_uppercase());
                capital = false;
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{camel, field, serde_camel};

    #[test]
    fn names_take_the_spelling_of_rust() {
        for (name, expected) in [
            ("replicas", "replicas"),
            ("type", "r#type"),
            ("podIP", "pod_ip"),
            ("clusterIPs", "cluster_i_ps"),
            ("x-kebab", "x_kebab"),
            ("1st", "_1st"),
            ("self", "self_"),
            ("$ref", "r#ref"),
        ] {
            assert_eq!(field(name), expected, "{name}");
        }
        assert_eq!(serde_camel("cluster_i_ps"), "clusterIPs");
        assert_eq!(serde_camel("pod_ip"), "podIp");
        assert_eq!(serde_camel("r#type"), "type");
        assert_eq!(camel("round-robin"), "RoundRobin");
        assert_eq!(camel(""), "Empty");
        assert_eq!(camel("10Gi"), "V10Gi");
    }
}
