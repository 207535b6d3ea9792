//! The registry: every tag with its grammar, the places it may stand, and what it means.

use super::{generators, inert, k8s, kubebuilder, proposals};

/// Which reader a tag belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// `+k8s:` validation tags, read as validation-gen does.
    Validation,
    /// `+k8s:` and prefixless tags of the other Kubernetes generators.
    Generator,
    /// `+kubebuilder:` markers and those controller-gen reads without that prefix.
    Kubebuilder,
    /// Tags of the enhancement proposals.
    Proposal,
    /// Known, and without effect here.
    Inert,
}

impl Family {
    /// A word for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Generator => "generator",
            Self::Kubebuilder => "kubebuilder",
            Self::Proposal => "proposal",
            Self::Inert => "inert",
        }
    }
}

/// Where a tag may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In the comment of a package.
    Package,
    /// On a type.
    Type,
    /// On a struct's field.
    Field,
    /// On the values of a list, inside another tag.
    ListValue,
    /// On the keys of a map, inside another tag.
    MapKey,
    /// On the values of a map, inside another tag.
    MapValue,
    /// On a constant.
    Constant,
}

impl Place {
    /// Upstream's words, as in "cannot be specified on …".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Package => "packages",
            Self::Type => "type definitions",
            Self::Field => "struct fields",
            Self::ListValue => "list values",
            Self::MapKey => "map keys",
            Self::MapValue => "map values",
            Self::Constant => "constant values",
        }
    }
}

/// How settled a tag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stability {
    /// May change.
    Alpha,
    /// Soaking.
    Beta,
    /// Settled.
    Stable,
}

impl Stability {
    /// Upstream's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alpha => "Alpha",
            Self::Beta => "Beta",
            Self::Stable => "Stable",
        }
    }
}

/// What may stand behind `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// A text.
    Str,
    /// An integer.
    Int,
    /// A tag.
    Tag,
    /// Anything; the tag reads it itself.
    Any,
}

impl Payload {
    /// Upstream's word for the kind of value.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Str => "string",
            Self::Int => "int",
            Self::Tag => "tag",
            Self::Any => "raw",
        }
    }
}

/// An argument in parentheses.
#[derive(Clone, Copy, Debug)]
pub struct ArgSpec {
    /// Its name; empty for a positional one.
    pub name: &'static str,
    /// Whether it must be given.
    pub required: bool,
}

/// One tag.
#[derive(Clone, Copy, Debug)]
pub struct TagSpec {
    /// Its name without the plus sign. A name that ends in `*` stands for all that start so.
    pub name: &'static str,
    /// Its reader.
    pub family: Family,
    /// Where it may stand.
    pub places: &'static [Place],
    /// Its arguments.
    pub args: &'static [ArgSpec],
    /// Whether further named arguments are accepted.
    pub any_args: bool,
    /// Its value.
    pub payload: Payload,
    /// Whether a value must be given.
    pub payload_required: bool,
    /// How settled it is.
    pub stability: Stability,
    /// Whether it is read after the others on the same place.
    pub late: bool,
    /// How it is written.
    pub usage: &'static str,
    /// What it means.
    pub meaning: &'static str,
}

/// Places where rules about values may stand.
pub(crate) const VALUES: &[Place] =
    &[Place::Type, Place::Field, Place::ListValue, Place::MapKey, Place::MapValue];

/// A stable tag without arguments or value; the base of most rows.
pub(crate) const PLAIN: TagSpec = TagSpec {
    name: "",
    family: Family::Inert,
    places: &[Place::Field],
    args: &[],
    any_args: false,
    payload: Payload::None,
    payload_required: false,
    stability: Stability::Stable,
    late: false,
    usage: "",
    meaning: "",
};

/// All tags, family by family.
pub fn all() -> impl Iterator<Item = &'static TagSpec> {
    k8s::TAGS
        .iter()
        .chain(generators::TAGS)
        .chain(kubebuilder::TAGS)
        .chain(proposals::TAGS)
        .chain(inert::TAGS)
}

/// The tags under a name, from the most telling family on. More than one family may know a name.
#[must_use]
pub fn find(name: &str) -> Vec<&'static TagSpec> {
    all()
        .filter(|spec| match spec.name.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => spec.name == name,
        })
        .collect()
}

/// A validation tag.
#[must_use]
pub(crate) fn validation(name: &str) -> Option<&'static TagSpec> {
    k8s::TAGS.iter().find(|spec| spec.name == name)
}

/// The registry as a page in Markdown, family by family.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from("# Tags\n\nGenerated from the registry; do not edit.\n");
    for family in [
        Family::Validation,
        Family::Generator,
        Family::Kubebuilder,
        Family::Proposal,
        Family::Inert,
    ] {
        out.push_str(&format!(
            "\n## {}\n\n| Tag | Written | Places | Meaning |\n|---|---|---|---|\n",
            family.name()
        ));
        for spec in all().filter(|spec| spec.family == family) {
            let places: Vec<&str> = spec.places.iter().map(|place| place.words()).collect();
            let cell = |text: &str| text.replace('|', "\\|");
            out.push_str(&format!(
                "| `+{}` | `{}` | {} | {} |\n",
                cell(spec.name),
                cell(spec.usage),
                places.join(", "),
                cell(spec.meaning)
            ));
        }
    }
    out
}

/// What to make of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// Some reader knows it.
    Yes,
    /// Nobody does, and it belongs to a family or resembles a known name: a mistake. The name it
    /// resembles is given, if there is one.
    Mistake(Option<&'static str>),
    /// Nobody does, but it belongs to the family that Kubernetes itself adds to.
    Newer,
    /// Nobody does; it may be some other tool's.
    Foreign,
}

/// Whether a name is known, a mistake, or someone else's.
#[must_use]
pub fn judge(name: &str) -> Known {
    if !find(name).is_empty() {
        return Known::Yes;
    }
    let similar = all()
        .map(|spec| spec.name)
        .filter(|known| !known.ends_with('*') && within_one_edit(known, name))
        .min();
    if super::newer::release(name).is_some() {
        return Known::Newer;
    }
    match similar {
        Some(_) => Known::Mistake(similar),
        None if name.starts_with("k8s:") => Known::Newer,
        None if name.starts_with("kubebuilder:") => {
            Known::Mistake(same_word(name).or_else(|| nearest(name)))
        }
        None => Known::Foreign,
    }
}

/// The known name that ends with the same word: `+nullable` for `+kubebuilder:validation:nullable`.
fn same_word(name: &str) -> Option<&'static str> {
    let last = |name: &'static str| name.rsplit(':').next().unwrap_or(name);
    let word = name.rsplit(':').next().unwrap_or(name);
    let same = all().map(|spec| spec.name).filter(|known| last(known).eq_ignore_ascii_case(word));
    same.min_by_key(|known| (distance(known, name), *known))
}

/// The known name of the same family with the fewest edits, if it is near at all.
fn nearest(name: &str) -> Option<&'static str> {
    all()
        .map(|spec| spec.name)
        .filter(|known| !known.ends_with('*'))
        .map(|known| (distance(known, name), known))
        .filter(|(edits, known)| *edits * 3 <= known.len())
        .min()
        .map(|(_, known)| known)
}

fn within_one_edit(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) <= 1 && a.len() > 3 && (distance(a, b) <= 1 || is_swapped(a, b))
}

/// Whether two neighbours are exchanged, as in `maxLenght`.
fn is_swapped(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_ascii_lowercase().into_bytes(), b.to_ascii_lowercase().into_bytes());
    let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else { return false };
    let (Some([x, y]), Some([z, w])) = (a.get(at..at + 2), b.get(at..at + 2)) else {
        return false;
    };
    (x, y) == (w, z) && a[at + 2..] == b[at + 2..]
}

/// Edit distance without regard to case. Names are short; longer ones never resemble anything.
fn distance(a: &str, b: &str) -> usize {
    if a.len() > 80 || b.len() > 80 {
        return usize::MAX / 4;
    }
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, y) in b.bytes().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{Known, all, judge};

    #[test]
    fn names_are_known_mistaken_or_foreign() {
        assert_eq!(judge("k8s:minimum"), Known::Yes);
        assert_eq!(judge("k8s:minimun"), Known::Mistake(Some("k8s:minimum")));
        assert_eq!(judge("k8s:maxLenght"), Known::Mistake(Some("k8s:maxLength")));
        assert_eq!(judge("k8s:nonsense"), Known::Newer);
        assert_eq!(judge("k8s:monotonic"), Known::Newer);
        assert_eq!(judge("defaut"), Known::Mistake(Some("default")));
        assert_eq!(
            judge("kubebuilder:validation:Minimun"),
            Known::Mistake(Some("kubebuilder:validation:Minimum"))
        );
        assert_eq!(judge("acme:thing"), Known::Foreign);
        assert_eq!(judge("protobuf.options.marshal"), Known::Yes);
    }

    #[test]
    fn the_page_has_a_row_for_every_tag() {
        let page = super::markdown();
        assert!(all().all(|spec| page.contains(&format!("| `+{}` |", spec.name))));
    }

    #[test]
    fn every_tag_says_what_it_means() {
        for spec in all() {
            assert!(!spec.meaning.is_empty() && !spec.usage.is_empty(), "{}", spec.name);
            assert!(!spec.places.is_empty(), "{}", spec.name);
        }
    }
}
