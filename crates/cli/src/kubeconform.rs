//! The flags of kubeconform, for people who come from there: `-summary` is `--summary`.

/// What a flag of kubeconform becomes.
enum Turn {
    /// This flag, with its value if it has one.
    Flag(&'static str),
    /// Nothing; the note says why.
    Note(&'static str),
    /// As [`Turn::Note`], and its value goes too.
    NoteWithValue(&'static str),
}

const FLAGS: [(&str, Turn); 15] = [
    ("summary", Turn::Flag("--summary")),
    ("skip", Turn::Flag("--skip")),
    ("reject", Turn::Flag("--reject")),
    ("output", Turn::Flag("--output")),
    ("ignore-missing-schemas", Turn::Flag("--ignore-missing-schemas")),
    ("schema-location", Turn::Flag("--schema-location")),
    ("strict", Turn::Note("-strict: decoding is always strict")),
    ("verbose", Turn::Note("-verbose: --summary says how many objects were judged")),
    ("debug", Turn::Note("-debug has no meaning here")),
    ("exit-on-error", Turn::Note("-exit-on-error: everything is judged, and fast")),
    ("insecure-skip-tls-verify", Turn::Note("-insecure-skip-tls-verify: nothing is fetched")),
    ("n", Turn::NoteWithValue("-n: all processors are used")),
    (
        "cache",
        Turn::NoteWithValue("-cache: nothing is fetched; `ordain schemas add` keeps schemas"),
    ),
    ("kubernetes-version", Turn::Flag("--kubernetes-version")),
    ("ignore-filename-pattern", Turn::Flag("--ignore-filename-pattern")),
];

/// The arguments of `validate` with kubeconform's flags turned into ours, and notes on those that
/// mean nothing here.
pub(crate) fn translate(arguments: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut out, mut notes) = (Vec::with_capacity(arguments.len()), Vec::new());
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            out.push(argument);
            out.extend(rest);
            break;
        }
        let bare = argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'));
        let (name, value) = match bare.map(|it| it.split_once('=')) {
            Some(Some((name, value))) => (name, Some(value.to_owned())),
            Some(None) => (bare.unwrap_or_default(), None),
            None => ("", None),
        };
        let ours = matches!(
            name,
            "summary"
                | "kubernetes-version"
                | "skip"
                | "reject"
                | "output"
                | "schema-location"
                | "ignore-missing-schemas"
                | "ignore-filename-pattern"
        );
        let turn = FLAGS.iter().find(|(it, _)| *it == name);
        match turn {
            Some(_) if argument.starts_with("--") && ours => out.push(argument),
            None => out.push(argument),
            Some((_, Turn::Flag(flag))) => {
                // Go's flags take `-summary=true`; ours are there or not.
                match value.as_deref() {
                    Some("true") => out.push((*flag).to_owned()),
                    Some("false") => {}
                    Some(value) => out.push(format!("{flag}={value}")),
                    None => out.push((*flag).to_owned()),
                }
            }
            Some((_, Turn::Note(note))) => notes.push((*note).to_owned()),
            Some((_, Turn::NoteWithValue(note))) => {
                if value.is_none() {
                    rest.next();
                }
                notes.push((*note).to_owned());
            }
        }
    }
    // What kubeconform calls pretty is how text looks here.
    for at in 0..out.len() {
        if out[at] == "--output=pretty" {
            "--output=text".clone_into(&mut out[at]);
        } else if out[at] == "pretty" && at > 0 && out[at - 1] == "--output" {
            "text".clone_into(&mut out[at]);
        }
    }
    (out, notes)
}

/// What a schema location is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The schemas that the other tool fetches; here they are built in.
    Default,
    /// A folder on this machine.
    Folder(String),
    /// Names of files on this machine.
    Template(String),
}

/// Reads a schema location.
///
/// # Errors
/// For places that would have to be fetched.
pub(crate) fn location(given: &str) -> Result<Place, String> {
    if given == "default" {
        return Ok(Place::Default);
    }
    if given.starts_with("http://") || given.starts_with("https://") {
        return Err(format!(
            "{given}: nothing is fetched; download it and run `ordain schemas add`, or take the \
             schemas of a cluster with `ordain schemas add --cluster`"
        ));
    }
    if given.contains("{{") {
        return Ok(Place::Template(given.to_owned()));
    }
    match given.trim_end_matches('/') {
        "" => Err(format!("{given}: no place")),
        folder => Ok(Place::Folder(folder.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(line: &str) -> (String, usize) {
        let arguments = line.split(' ').map(ToOwned::to_owned).collect();
        let (out, notes) = translate(arguments);
        (out.join(" "), notes.len())
    }

    #[test]
    fn the_flags_of_kubeconform_mean_what_they_meant() {
        assert_eq!(
            turned("-summary -strict -output json -skip=Secret,ConfigMap dir"),
            ("--summary --output json --skip=Secret,ConfigMap dir".to_owned(), 1)
        );
        assert_eq!(
            turned("-n 4 -kubernetes-version 1.36.0 -ignore-missing-schemas -"),
            ("--kubernetes-version 1.36.0 --ignore-missing-schemas -".to_owned(), 1)
        );
        assert_eq!(
            turned("--output json -o yaml --crds x"),
            ("--output json -o yaml --crds x".to_owned(), 0)
        );
        assert_eq!(
            turned("-ignore-filename-pattern .*/values.yaml -output pretty dir"),
            ("--ignore-filename-pattern .*/values.yaml --output text dir".to_owned(), 0)
        );
        assert_eq!(turned("-output=pretty x"), ("--output=text x".to_owned(), 0));
    }

    #[test]
    fn only_places_on_this_machine_are_locations() {
        assert_eq!(location("default"), Ok(Place::Default));
        let template = "s/{{ .Group }}/{{ .ResourceKind }}.json";
        assert_eq!(location(template), Ok(Place::Template(template.to_owned())));
        assert_eq!(location("s/"), Ok(Place::Folder("s".to_owned())));
        assert!(location("https://example.com/{{ .ResourceKind }}.json").is_err());
    }
}
