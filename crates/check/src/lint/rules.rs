//! The registry of rules: their ids are promises.

use crate::finding::Severity;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Definitions,
    GoTypes,
    Both,
}

impl Subject {
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Subject::Definitions => "definitions",
            Subject::GoTypes => "Go types",
            Subject::Both => "definitions, Go types",
        }
    }
}

/// One rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub id: &'static str,
    pub severity: Severity,
    pub subject: Subject,
    /// Whether `--fix` can mend it.
    pub fixable: bool,
    /// Whether it is looked at only when it is asked for: a matter of taste, or one that sound APIs
    /// break with reason.
    pub opt_in: bool,
    /// The names that kube-api-linter has for it.
    pub aliases: &'static [&'static str],
    /// What is wrong when it fires.
    pub about: &'static str,
    /// Why that matters.
    pub why: &'static str,
}

type Words = &'static str;

/// A rule with all its names: its id, and then those that kube-api-linter has for it.
const fn rule(
    severity: Severity,
    subject: Subject,
    names: &'static [Words],
    about: Words,
    why: Words,
) -> Rule {
    let (id, aliases) = (names[0], names.split_at(1).1);
    Rule { id, severity, subject, fixable: false, opt_in: false, aliases, about, why }
}

const fn warning(subject: Subject, names: &'static [Words], about: Words, why: Words) -> Rule {
    rule(Severity::Warning, subject, names, about, why)
}

const fn error(subject: Subject, names: &'static [Words], about: Words, why: Words) -> Rule {
    rule(Severity::Error, subject, names, about, why)
}

const fn fixable(mut rule: Rule) -> Rule {
    rule.fixable = true;
    rule
}

const fn opt_in(mut rule: Rule) -> Rule {
    rule.opt_in = true;
    rule
}

use Subject::{Both, Definitions, GoTypes};

/// All rules, by id.
pub const RULES: [Rule; 41] = [
    opt_in(warning(
        GoTypes,
        &["bool-used", "nobools"],
        "A field is a boolean.",
        "A third state cannot be added to it later; a string with named values can grow.",
    )),
    warning(
        Definitions,
        &["cel-cost"],
        "A CEL rule costs more than half of what one rule may cost.",
        "The next field or a looser bound makes the server refuse the definition.",
    ),
    fixable(warning(
        GoTypes,
        &["comment-start", "commentstart"],
        "The comment of a field starts with its Go name, not its JSON name.",
        "Users read the comment in kubectl explain and know only the JSON name.",
    )),
    warning(
        Both,
        &["conditions-shape", "conditions"],
        "Conditions are no list-map by type with type, status, reason, message and lastTransitionTime.",
        "Tools that wait for conditions, and apply, rely on this shape.",
    ),
    opt_in(warning(
        Definitions,
        &["default-unreachable"],
        "A default sits below an optional object that has no default of its own.",
        "It is set only when the user writes the object around it.",
    )),
    opt_in(warning(
        GoTypes,
        &["duration-used", "nodurations"],
        "A field is a duration.",
        "Its text is read differently in other languages; an integer with its unit in the name is not.",
    )),
    warning(
        Definitions,
        &["enum-case"],
        "A value of an enum is not written in PascalCase.",
        "API conventions; users guess the spelling.",
    ),
    error(
        Both,
        &["exception-expired"],
        "An exception is past its day.",
        "Exceptions are debts with a date.",
    ),
    warning(
        Both,
        &["exception-unused"],
        "An exception matches no finding.",
        "What is mended needs no exception; the next mistake would hide behind it.",
    ),
    warning(
        Both,
        &["field-name-case", "namingconventions"],
        "The name of a field is not written in camelCase.",
        "API conventions; generated clients and users expect it.",
    ),
    warning(
        Both,
        &["float-used", "nofloats"],
        "A field is a floating-point number.",
        "Floats do not survive every client unchanged, so equality and apply see changes that are none.",
    ),
    warning(
        GoTypes,
        &["gate-missing"],
        "A field is new in a type that is published, and no feature gate guards it.",
        "Servers of different versions would disagree about it during a rollout (with --new-from).",
    ),
    warning(
        Definitions,
        &["immutable-bypass"],
        "An optional field is immutable by `self == oldSelf` alone.",
        "Removing the field and adding it again with another value passes.",
    ),
    warning(
        Both,
        &["integer-width", "integers"],
        "An integer is neither int32 nor int64.",
        "Clients in other languages choose the width by the format.",
    ),
    warning(
        GoTypes,
        &["json-tag-differs"],
        "The JSON name of a field is not its Go name in camelCase.",
        "People who read the code and people who write the YAML talk past each other.",
    ),
    error(
        GoTypes,
        &["json-tag-missing", "jsontags"],
        "A field of an API type has no json tag.",
        "It is published under its Go name and cannot be renamed later.",
    ),
    warning(
        Both,
        &["list-map-key-optional"],
        "A key of a list-map is optional or has a default.",
        "Apply cannot tell items apart when part of their key may be absent.",
    ),
    fixable(warning(
        Both,
        &["list-type-missing", "ssatags"],
        "A list does not say whether it is atomic, a set or a map.",
        "It is atomic then: two appliers fight over the whole list. Say so, or make it a map.",
    )),
    opt_in(warning(
        GoTypes,
        &["map-used", "nomaps"],
        "A field is a map, and not one of texts to texts.",
        "A list of named items can be applied by several, ordered and extended.",
    )),
    warning(
        GoTypes,
        &["marker-conflict", "conflictingmarkers"],
        "A field is marked both optional and required.",
        "Generators disagree about which one counts.",
    ),
    warning(
        GoTypes,
        &["marker-duplicate", "duplicatemarkers"],
        "A marker is written twice with the same value.",
        "One of them is forgotten when the other is changed.",
    ),
    warning(
        GoTypes,
        &["marker-forbidden", "forbiddenmarkers"],
        "A marker is one that `--forbid-marker` names.",
        "The project does not want it.",
    ),
    warning(
        GoTypes,
        &["marker-preferred", "preferredmarkers"],
        "A marker is one that `--prefer-marker` has a better name for.",
        "One spelling is read by everyone.",
    ),
    opt_in(warning(
        GoTypes,
        &["max-length-missing", "maxlength"],
        "A string or a list has no greatest length.",
        "Objects grow without bound, and rules in CEL over it cost too much.",
    )),
    opt_in(warning(
        GoTypes,
        &["min-length-missing", "minlength"],
        "A required string or list may be empty.",
        "An empty value passes for one that was given.",
    )),
    warning(
        GoTypes,
        &["optional-always-written", "optionalfields"],
        "An optional field is written even when it is empty: the json tag lacks omitempty.",
        "Clients send zero values that nobody chose.",
    ),
    opt_in(warning(
        GoTypes,
        &["phase-used", "nophase"],
        "A field is called phase.",
        "A phase cannot grow new values without breaking those who read it; conditions can.",
    )),
    warning(
        GoTypes,
        &["presence-unmarked", "optionalorrequired"],
        "A field is marked neither optional nor required.",
        "Generators disagree about the default; users see what the generator chose.",
    ),
    error(
        Definitions,
        &["refused"],
        "The API server refuses the definition.",
        "It cannot be installed.",
    ),
    warning(
        Both,
        &["required-with-default", "defaultorrequired"],
        "A required field has a default.",
        "It is never missing, so required says nothing; clients that check still insist on it.",
    ),
    warning(
        Definitions,
        &["rule-message-missing"],
        "A CEL rule has no message.",
        "Users read the expression instead of what to do.",
    ),
    warning(
        Definitions,
        &["schema-open"],
        "A place keeps unknown fields.",
        "Typing mistakes pass in silence below it.",
    ),
    warning(
        Definitions,
        &["status-not-subresource", "statussubresource"],
        "There is a status, and no status subresource.",
        "Users overwrite the status, controllers the spec.",
    ),
    warning(
        Definitions,
        &["status-required", "statusoptional"],
        "Status is required.",
        "Users would have to write what the controller reports.",
    ),
    error(Both, &["syntax"], "The text cannot be read.", "Nothing in it was looked at."),
    error(
        GoTypes,
        &["tag"],
        "A tag is unknown, misplaced or mistaken.",
        "What it should declare is not declared.",
    ),
    opt_in(warning(
        GoTypes,
        &["timestamp-name", "notimestamp"],
        "A name has `timestamp` in it.",
        "The API says time: `startTime`, not `startTimestamp`.",
    )),
    warning(
        Both,
        &["undocumented"],
        "A field has no documentation.",
        "kubectl explain shows nothing.",
    ),
    warning(
        GoTypes,
        &["union-older-members"],
        "A discriminator is new, its members are not, and nothing infers it.",
        "Clients that do not know it can no longer switch members.",
    ),
    warning(
        Definitions,
        &["union-undiscriminated"],
        "A oneOf chooses among fields without a field that names the choice.",
        "Clients that do not know a new member cannot tell what is set.",
    ),
    opt_in(warning(
        Both,
        &["version-drift"],
        "Two versions of one kind have different rules for one field.",
        "An object that one version accepts cannot be written through the other.",
    )),
];

/// The rule with an id, or with a name that kube-api-linter has for it.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|it| it.id == id || it.aliases.contains(&id))
}

/// All rules as a table in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from("| rule | | on | finds | because |\n|---|---|---|---|---|\n");
    for rule in &RULES {
        let fix = if rule.fixable { ", `--fix`" } else { "" };
        let asked = if rule.opt_in { ", with `--enable`" } else { "" };
        let also: String = rule.aliases.iter().map(|it| format!(" (`{it}`)")).collect();
        out.push_str(&format!(
            "| `{}`{also} | {}{fix}{asked} | {} | {} | {} |\n",
            rule.id,
            rule.severity.name(),
            rule.subject.words(),
            rule.about,
            rule.why
        ));
    }
    out
}
