//! English plurals of kinds, for the names of resources.
//!
//! General rules and a short list of common irregular nouns; an API with a rarer word names its
//! plural by a marker.

/// Nouns that follow no rule, with their plurals. Compound kinds that end in one follow it too.
const IRREGULAR: &[(&str, &str)] = &[
    ("analysis", "analyses"),
    ("appendix", "appendices"),
    ("axis", "axes"),
    ("basis", "bases"),
    ("calf", "calves"),
    ("child", "children"),
    ("crisis", "crises"),
    ("criterion", "criteria"),
    ("data", "data"),
    ("datum", "data"),
    ("deer", "deer"),
    ("diagnosis", "diagnoses"),
    ("echo", "echoes"),
    ("fish", "fish"),
    ("foot", "feet"),
    ("goose", "geese"),
    ("half", "halves"),
    ("hero", "heroes"),
    ("hypothesis", "hypotheses"),
    ("index", "indices"),
    ("knife", "knives"),
    ("leaf", "leaves"),
    ("life", "lives"),
    ("man", "men"),
    ("matrix", "matrices"),
    ("medium", "media"),
    ("mouse", "mice"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("potato", "potatoes"),
    ("quiz", "quizzes"),
    ("self", "selves"),
    ("series", "series"),
    ("sheep", "sheep"),
    ("shelf", "shelves"),
    ("species", "species"),
    ("synopsis", "synopses"),
    ("synthesis", "syntheses"),
    ("thesis", "theses"),
    ("tomato", "tomatoes"),
    ("tooth", "teeth"),
    ("vertex", "vertices"),
    ("wolf", "wolves"),
];

/// The plural of a kind in lower case.
#[must_use]
pub fn of(kind: &str) -> String {
    let word = kind.to_lowercase();
    let last = last_part(kind).to_lowercase();
    let head = word.strip_suffix(last.as_str()).unwrap_or("");
    format!("{head}{}", pluralize(&last))
}

fn pluralize(word: &str) -> String {
    if let Some((_, many)) = IRREGULAR.iter().find(|it| it.0 == word) {
        return (*many).to_owned();
    }
    if IRREGULAR.iter().any(|it| it.1 == word) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix('y') {
        let vowel = stem.ends_with(['a', 'e', 'i', 'o', 'u']);
        return if vowel { format!("{word}s") } else { format!("{stem}ies") };
    }
    if ["ss", "us", "is", "x", "z", "ch", "sh"].iter().any(|it| word.ends_with(it)) {
        return format!("{word}es");
    }
    // A word that ends in `s` already is taken for a plural.
    if word.ends_with('s') { word.to_owned() } else { format!("{word}s") }
}

/// The last word of a name in camel case.
fn last_part(kind: &str) -> &str {
    let mut start = 0;
    let mut previous_upper = false;
    for (at, c) in kind.char_indices() {
        if c.is_uppercase() && !previous_upper {
            start = at;
        }
        previous_upper = c.is_uppercase();
    }
    kind.get(start..).unwrap_or(kind)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn kinds_get_the_plurals_of_controller_gen() {
        for (kind, expected) in [
            ("Policy", "policies"),
            ("Quay", "quays"),
            ("Box", "boxes"),
            ("Status", "statuses"),
            ("Sheep", "sheep"),
            ("Person", "people"),
            ("NodeData", "nodedata"),
            ("Index", "indices"),
            ("Leaf", "leaves"),
            ("Hero", "heroes"),
            ("Analysis", "analyses"),
            ("Widget", "widgets"),
            ("Axis", "axes"),
        ] {
            assert_eq!(of(kind), expected, "{kind}");
        }
    }
}
