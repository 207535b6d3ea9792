//! English plurals of kinds, as flect forms them: controller-gen names resources with it.

/// A word that follows no rule.
struct Word {
    one: &'static str,
    many: &'static str,
    /// Another plural that is recognised but never formed; may be empty.
    also: &'static str,
    /// Whether the plural is taken for one when it is met.
    back: bool,
    /// Whether longer words that end so follow it too.
    suffix: bool,
}

const fn word(one: &'static str, many: &'static str, also: &'static str) -> Word {
    Word { one, many, also, back: true, suffix: true }
}

const fn exact(one: &'static str, many: &'static str) -> Word {
    Word { one, many, also: "", back: true, suffix: false }
}

const fn one_way(one: &'static str, many: &'static str) -> Word {
    Word { one, many, also: "", back: false, suffix: true }
}

const WORDS: &[Word] = &[
    word("aircraft", "aircraft", ""),
    word("beef", "beef", "beefs"),
    word("bison", "bison", ""),
    one_way("blues", "blues"),
    word("chassis", "chassis", ""),
    word("deer", "deer", ""),
    word("fish", "fish", "fishes"),
    word("moose", "moose", ""),
    word("police", "police", ""),
    word("salmon", "salmon", "salmons"),
    word("series", "series", ""),
    word("sheep", "sheep", ""),
    word("shrimp", "shrimp", "shrimps"),
    word("species", "species", ""),
    word("swine", "swine", "swines"),
    word("trout", "trout", "trouts"),
    word("tuna", "tuna", "tunas"),
    word("you", "you", ""),
    word("child", "children", ""),
    exact("ox", "oxen"),
    word("foot", "feet", ""),
    word("goose", "geese", ""),
    word("man", "men", ""),
    word("human", "humans", ""),
    exact("louse", "lice"),
    word("mouse", "mice", ""),
    word("tooth", "teeth", ""),
    word("woman", "women", ""),
    exact("die", "dice"),
    word("person", "people", ""),
    word("adieu", "adieux", "adieus"),
    word("fabliau", "fabliaux", ""),
    word("bureau", "bureaus", "bureaux"),
    word("criterion", "criteria", ""),
    word("ganglion", "ganglia", "ganglions"),
    word("lexicon", "lexica", "lexicons"),
    word("mitochondrion", "mitochondria", "mitochondrions"),
    word("noumenon", "noumena", ""),
    word("phenomenon", "phenomena", ""),
    word("taxon", "taxa", ""),
    word("media", "media", ""),
    one_way("medium", "media"),
    word("stadium", "stadiums", "stadia"),
    word("aquarium", "aquaria", "aquariums"),
    word("auditorium", "auditoria", "auditoriums"),
    word("symposium", "symposia", "symposiums"),
    word("curriculum", "curriculums", "curricula"),
    word("quota", "quotas", ""),
    word("alumnus", "alumni", "alumnuses"),
    word("bacillus", "bacilli", ""),
    word("cactus", "cacti", "cactuses"),
    word("coccus", "cocci", ""),
    word("focus", "foci", "focuses"),
    word("locus", "loci", "locuses"),
    word("nucleus", "nuclei", "nucleuses"),
    word("octopus", "octupuses", "octopi"),
    word("radius", "radii", "radiuses"),
    word("syllabus", "syllabi", ""),
    word("corpus", "corpora", "corpuses"),
    word("genus", "genera", ""),
    word("alumna", "alumnae", ""),
    word("vertebra", "vertebrae", ""),
    word("differentia", "differentiae", ""),
    word("minutia", "minutiae", ""),
    word("vita", "vitae", ""),
    word("larva", "larvae", ""),
    word("postcava", "postcavae", ""),
    word("praecava", "praecavae", ""),
    word("uva", "uvae", ""),
    word("apex", "apices", "apexes"),
    word("codex", "codices", "codexes"),
    word("index", "indices", "indexes"),
    word("latex", "latices", "latexes"),
    word("vertex", "vertices", "vertexes"),
    word("vortex", "vortices", "vortexes"),
    word("appendix", "appendices", "appendixes"),
    word("radix", "radices", "radixes"),
    word("helix", "helices", "helixes"),
    exact("axis", "axes"),
    word("crisis", "crises", ""),
    one_way("ellipsis", "ellipses"),
    word("genesis", "geneses", ""),
    word("oasis", "oases", ""),
    word("thesis", "theses", ""),
    word("testis", "testes", ""),
    word("base", "bases", ""),
    one_way("basis", "bases"),
    exact("alias", "aliases"),
    word("vedalia", "vedalias", ""),
    exact("use", "uses"),
    word("abuse", "abuses", ""),
    word("cause", "causes", ""),
    word("clause", "clauses", ""),
    word("cruse", "cruses", ""),
    word("excuse", "excuses", ""),
    word("fuse", "fuses", ""),
    word("house", "houses", ""),
    word("misuse", "misuses", ""),
    word("muse", "muses", ""),
    word("pause", "pauses", ""),
    word("ache", "aches", ""),
    word("topaz", "topazes", ""),
    word("buffalo", "buffaloes", "buffalos"),
    word("potato", "potatoes", ""),
    word("tomato", "tomatoes", ""),
    word("equipment", "equipment", ""),
    word("information", "information", ""),
    word("jeans", "jeans", ""),
    word("money", "money", ""),
    word("news", "news", ""),
    word("rice", "rice", ""),
    word("dwarf", "dwarfs", "dwarves"),
    word("hoof", "hoofs", "hooves"),
    word("thief", "thieves", ""),
    word("chive", "chives", ""),
    word("hive", "hives", ""),
    word("move", "moves", ""),
    word("movie", "movies", ""),
    word("cookie", "cookies", ""),
    word("pretorium", "pretoriums", ""),
    word("agenda", "agendas", ""),
    word("formula", "formulas", "formulae"),
    word("shoe", "shoes", ""),
    exact("toe", "toes"),
    word("graffiti", "graffiti", ""),
    exact("ID", "IDs"),
];

/// Endings and what becomes of them; the first that fits counts.
const ENDINGS: &[(&str, &str)] = &[
    ("tive", "tives"),
    ("eaf", "eaves"),
    ("oaf", "oaves"),
    ("afe", "aves"),
    ("arf", "arves"),
    ("rfe", "rves"),
    ("rf", "rves"),
    ("lf", "lves"),
    ("fe", "ves"),
    ("ay", "ays"),
    ("ey", "eys"),
    ("oy", "oys"),
    ("quy", "quies"),
    ("uy", "uys"),
    ("y", "ies"),
    ("eau", "eaux"),
    ("bula", "bulae"),
    ("dula", "bulae"),
    ("lula", "bulae"),
    ("nula", "bulae"),
    ("vula", "bulae"),
    ("hedron", "hedra"),
    ("ium", "ia"),
    ("seum", "seums"),
    ("eum", "ea"),
    ("oum", "oa"),
    ("stracum", "straca"),
    ("dum", "da"),
    ("elum", "ela"),
    ("ilum", "ila"),
    ("olum", "ola"),
    ("ulum", "ula"),
    ("llum", "lla"),
    ("ylum", "yla"),
    ("imum", "ima"),
    ("ernum", "erna"),
    ("gnum", "gna"),
    ("brum", "bra"),
    ("crum", "cra"),
    ("terum", "tera"),
    ("serum", "sera"),
    ("trum", "tra"),
    ("antum", "anta"),
    ("atum", "ata"),
    ("entum", "enta"),
    ("etum", "eta"),
    ("itum", "ita"),
    ("otum", "ota"),
    ("utum", "uta"),
    ("ctum", "cta"),
    ("ovum", "ova"),
    ("trix", "trices"),
    ("iasis", "iases"),
    ("mesis", "meses"),
    ("kinesis", "kineses"),
    ("resis", "reses"),
    ("gnosis", "gnoses"),
    ("opsis", "opses"),
    ("ysis", "yses"),
    ("ouse", "ouses"),
    ("lause", "lauses"),
    ("us", "uses"),
    ("ch", "ches"),
    ("io", "ios"),
    ("sh", "shes"),
    ("ss", "sses"),
    ("ez", "ezzes"),
    ("iz", "izzes"),
    ("tz", "tzes"),
    ("zz", "zzes"),
    ("ano", "anos"),
    ("lo", "los"),
    ("to", "tos"),
    ("oo", "oos"),
    ("o", "oes"),
    ("x", "xes"),
    ("S", "Ses"),
];

/// The plural of a kind in lower case.
pub(super) fn plural(kind: &str) -> String {
    form(kind).to_lowercase()
}

fn form(kind: &str) -> String {
    let last = last_part(kind);
    let head = kind.strip_suffix(last).unwrap_or("");
    if let Some(word) = WORDS.iter().find(|word| word.one == kind) {
        return word.many.to_string();
    }
    let is_plural =
        |text: &str| WORDS.iter().any(|word| word.back && (word.many == text || word.also == text));
    let lower = last.to_lowercase();
    if is_plural(kind) || is_plural(&lower) {
        return kind.to_string();
    }
    if let Some(word) = WORDS.iter().find(|word| word.one == lower) {
        return format!("{head}{}", word.many);
    }
    let words = WORDS.iter().rev().filter(|word| word.suffix).map(|word| (word.one, word.many));
    for (one, many) in words.chain(ENDINGS.iter().copied()) {
        if last.ends_with(many) {
            return kind.to_string();
        }
        if let Some(stem) = kind.strip_suffix(one).filter(|_| last.ends_with(one)) {
            return format!("{stem}{many}");
        }
    }
    if lower.ends_with('s') { kind.to_string() } else { format!("{kind}s") }
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
    use super::plural;

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
            assert_eq!(plural(kind), expected, "{kind}");
        }
    }
}
