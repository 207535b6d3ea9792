//! English plurals of kinds, for the names of resources, as controller-gen forms them: a project
//! that names no plural keeps the names its resources have.
//!
//! Only the last word of a kind counts. Known words go first, then endings; what is a plural
//! already stays as it is.

/// Words that follow no ending, or another one than they seem to. Kinds that end in one in lower
/// case follow it too, unless it is in [`WHOLE`].
const WORDS: &[(&str, &str)] = &[
    ("adieu", "adieux"),
    ("agenda", "agendas"),
    ("aircraft", "aircraft"),
    ("alias", "aliases"),
    ("alumna", "alumnae"),
    ("alumnus", "alumni"),
    ("apex", "apices"),
    ("appendix", "appendices"),
    ("aquarium", "aquaria"),
    ("axis", "axes"),
    ("bacillus", "bacilli"),
    ("basis", "bases"),
    ("beef", "beef"),
    ("bison", "bison"),
    ("buffalo", "buffaloes"),
    ("bureau", "bureaus"),
    ("cactus", "cacti"),
    ("chassis", "chassis"),
    ("child", "children"),
    ("coccus", "cocci"),
    ("codex", "codices"),
    ("corpus", "corpora"),
    ("crisis", "crises"),
    ("criterion", "criteria"),
    ("curriculum", "curriculums"),
    ("deer", "deer"),
    ("die", "dice"),
    ("differentia", "differentiae"),
    ("dwarf", "dwarfs"),
    ("ellipsis", "ellipses"),
    ("equipment", "equipment"),
    ("fabliau", "fabliaux"),
    ("fish", "fish"),
    ("focus", "foci"),
    ("foot", "feet"),
    ("formula", "formulas"),
    ("ganglion", "ganglia"),
    ("genesis", "geneses"),
    ("genus", "genera"),
    ("goose", "geese"),
    ("graffiti", "graffiti"),
    ("helix", "helices"),
    ("human", "humans"),
    ("index", "indices"),
    ("information", "information"),
    ("larva", "larvae"),
    ("latex", "latices"),
    ("lexicon", "lexica"),
    ("locus", "loci"),
    ("louse", "lice"),
    ("man", "men"),
    ("media", "media"),
    ("medium", "media"),
    ("minutia", "minutiae"),
    ("mitochondrion", "mitochondria"),
    ("money", "money"),
    ("moose", "moose"),
    ("mouse", "mice"),
    ("news", "news"),
    ("noumenon", "noumena"),
    ("nucleus", "nuclei"),
    ("oasis", "oases"),
    ("octopus", "octupuses"),
    ("ox", "oxen"),
    ("person", "people"),
    ("phenomenon", "phenomena"),
    ("police", "police"),
    ("postcava", "postcavae"),
    ("potato", "potatoes"),
    ("praecava", "praecavae"),
    ("pretorium", "pretoriums"),
    ("quota", "quotas"),
    ("radius", "radii"),
    ("radix", "radices"),
    ("rice", "rice"),
    ("salmon", "salmon"),
    ("series", "series"),
    ("sheep", "sheep"),
    ("shrimp", "shrimp"),
    ("species", "species"),
    ("stadium", "stadiums"),
    ("swine", "swine"),
    ("syllabus", "syllabi"),
    ("symposium", "symposia"),
    ("taxon", "taxa"),
    ("testis", "testes"),
    ("thesis", "theses"),
    ("thief", "thieves"),
    ("tomato", "tomatoes"),
    ("tooth", "teeth"),
    ("topaz", "topazes"),
    ("trout", "trout"),
    ("tuna", "tuna"),
    ("uva", "uvae"),
    ("vedalia", "vedalias"),
    ("vertebra", "vertebrae"),
    ("vertex", "vertices"),
    ("vita", "vitae"),
    ("vortex", "vortices"),
    ("woman", "women"),
];

/// Words of [`WORDS`] that say nothing about longer words that end in them.
const WHOLE: &[&str] = &["alias", "axis", "die", "louse", "ox"];

/// Endings and what becomes of them; the first that fits counts, and a word that has the ending
/// of a plural stays as it is.
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

/// Words in capitals after which another word begins.
const ACRONYMS: &[&str] = &[
    "ACL", "AES", "API", "ARP", "ATM", "BGP", "CIDR", "CLI", "CPU", "CRC", "DES", "DHCP", "DNS",
    "DSL", "EOF", "FTP", "HTML", "HTTP", "HTTPS", "ICMP", "ID", "IDS", "IMAP", "IP", "ISP", "JSON",
    "JWT", "LAN", "MAC", "MTU", "NAC", "NAT", "NIC", "OK", "PAT", "PC", "PPP", "RAM", "RFC", "RIP",
    "ROM", "RTP", "SFP", "SMTP", "SNMP", "SQL", "SSH", "SSID", "STP", "SYN", "TFTP", "UDP", "URI",
    "URL", "USB", "UTF8", "UUID", "VC", "VLAN", "VPN", "WAN", "WWW",
];

/// The plural of a kind in lower case.
#[must_use]
pub fn of(kind: &str) -> String {
    let last = last_part(kind);
    let head = kind.strip_suffix(last).unwrap_or(kind);
    format!("{head}{}", pluralize(last)).to_lowercase()
}

fn pluralize(word: &str) -> String {
    let lower = word.to_lowercase();
    if WORDS.iter().any(|it| it.1 == lower) {
        return word.to_owned();
    }
    if let Some((_, many)) = WORDS.iter().find(|it| it.0 == lower) {
        return (*many).to_owned();
    }
    let compound = WORDS.iter().filter(|it| !WHOLE.contains(&it.0));
    // The longest known word that the word ends in: `human` is no `man`.
    let known = compound
        .filter(|(one, many)| word.ends_with(one) || word.ends_with(many))
        .max_by_key(|(one, many)| if word.ends_with(many) { many.len() } else { one.len() });
    for (one, many) in known.into_iter().chain(ENDINGS) {
        if word.ends_with(many) {
            return word.to_owned();
        }
        if let Some(stem) = word.strip_suffix(one) {
            return format!("{stem}{many}");
        }
    }
    // A word that ends in `s` already is taken for a plural.
    if lower.ends_with('s') { word.to_owned() } else { format!("{word}s") }
}

/// The last word of a name in camel case.
fn last_part(kind: &str) -> &str {
    let mut start = 0;
    let mut previous_upper = false;
    for (at, c) in kind.char_indices() {
        let so_far = kind.get(start..at).unwrap_or("");
        if c.is_uppercase() && (!previous_upper || ACRONYMS.contains(&so_far)) {
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
            ("DNSIndex", "dnsindices"),
            ("Leaf", "leaves"),
            ("Hero", "heroes"),
            ("Analysis", "analyses"),
            ("Widget", "widgets"),
            ("Axis", "axes"),
            ("Alias", "aliases"),
            ("HostAlias", "hostaliases"),
            ("Redis", "redis"),
            ("DNS", "dnses"),
            ("Info", "infoes"),
            ("Lambda", "lambda"),
            ("Quota", "quotas"),
            ("ResourceQuota", "resourcequotas"),
            ("Human", "humans"),
            ("German", "germen"),
            ("Specimen", "specimen"),
            ("Studio", "studios"),
            ("Repo", "repoes"),
            ("Photo", "photos"),
            ("Endpoints", "endpoints"),
            ("Class", "classes"),
        ] {
            assert_eq!(of(kind), expected, "{kind}");
        }
    }
}
