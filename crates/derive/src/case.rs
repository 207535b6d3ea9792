//! Names in the cases that serde's `rename_all` knows.

/// The rules of `rename_all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    pub(crate) fn from_name(name: &str) -> Option<Case> {
        Some(match name {
            "lowercase" => Case::Lower,
            "UPPERCASE" => Case::Upper,
            "PascalCase" => Case::Pascal,
            "camelCase" => Case::Camel,
            "snake_case" => Case::Snake,
            "SCREAMING_SNAKE_CASE" => Case::ScreamingSnake,
            "kebab-case" => Case::Kebab,
            "SCREAMING-KEBAB-CASE" => Case::ScreamingKebab,
            _ => return None,
        })
    }

    /// A field, which Rust writes in snake_case.
    pub(crate) fn field(self, name: &str) -> String {
        match self {
            Case::Lower | Case::Snake => name.to_owned(),
            Case::Upper | Case::ScreamingSnake => name.to_ascii_uppercase(),
            Case::Pascal => pascal(name),
            Case::Camel => lower_first(&pascal(name)),
            Case::Kebab => name.replace('_', "-"),
            Case::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// A variant, which Rust writes in PascalCase.
    pub(crate) fn variant(self, name: &str) -> String {
        match self {
            Case::Pascal => name.to_owned(),
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Camel => lower_first(name),
            Case::Snake => snake(name),
            Case::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Case::Kebab => snake(name).replace('_', "-"),
            Case::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

/// `read_only` as `ReadOnly`.
pub(crate) fn pascal(name: &str) -> String {
    let mut out = String::new();
    let mut up = true;
    for letter in name.chars() {
        if letter == '_' {
            up = true;
        } else if up {
            out.push(letter.to_ascii_uppercase());
            up = false;
        } else {
            out.push(letter);
        }
    }
    out
}

/// `ReadOnly` as `readOnly`.
pub(crate) fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|it| it.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

/// `max_length` as `maxLength`: how tags are written.
pub(crate) fn camel(name: &str) -> String {
    lower_first(&pascal(name))
}
