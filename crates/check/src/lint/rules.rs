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

const fn rule(
    id: &'static str,
    severity: Severity,
    subject: Subject,
    about: &'static str,
    why: &'static str,
) -> Rule {
    Rule { id, severity, subject, fixable: false, opt_in: false, aliases: &[], about, why }
}

const fn fixable(mut rule: Rule) -> Rule {
    rule.fixable = true;
    rule
}

const fn opt_in(mut rule: Rule) -> Rule {
    rule.opt_in = true;
    rule
}

const fn also(mut rule: Rule, aliases: &'static [&'static str]) -> Rule {
    rule.aliases = aliases;
    rule
}

use Severity::{Error, Warning};
use Subject::{Both, Definitions, GoTypes};

/// All rules, by id.
pub const RULES: [Rule; 41] = [
    also(
        opt_in(rule(
            "bool-used",
            Warning,
            GoTypes,
            "A field is a boolean.",
            "A third state cannot be added to it later; a string with named values can grow.",
        )),
        &["nobools"],
    ),
    rule(
        "cel-cost",
        Warning,
        Definitions,
        "A CEL rule costs more than half of what one rule may cost.",
        "The next field or a looser bound makes the server refuse the definition.",
    ),
    also(
        fixable(rule(
            "comment-start",
            Warning,
            GoTypes,
            "The comment of a field starts with its Go name, not its JSON name.",
            "Users read the comment in kubectl explain and know only the JSON name.",
        )),
        &["commentstart"],
    ),
    also(
        rule(
            "conditions-shape",
            Warning,
            Both,
            "Conditions are no list-map by type with type, status, reason, message and lastTransitionTime.",
            "Tools that wait for conditions, and apply, rely on this shape.",
        ),
        &["conditions"],
    ),
    opt_in(rule(
        "default-unreachable",
        Warning,
        Definitions,
        "A default sits below an optional object that has no default of its own.",
        "It is set only when the user writes the object around it.",
    )),
    also(
        opt_in(rule(
            "duration-used",
            Warning,
            GoTypes,
            "A field is a duration.",
            "Its text is read differently in other languages; an integer with its unit in the name is not.",
        )),
        &["nodurations"],
    ),
    rule(
        "enum-case",
        Warning,
        Definitions,
        "A value of an enum is not written in PascalCase.",
        "API conventions; users guess the spelling.",
    ),
    rule(
        "exception-expired",
        Error,
        Both,
        "An exception is past its day.",
        "Exceptions are debts with a date.",
    ),
    rule(
        "exception-unused",
        Warning,
        Both,
        "An exception matches no finding.",
        "What is mended needs no exception; the next mistake would hide behind it.",
    ),
    also(
        rule(
            "field-name-case",
            Warning,
            Both,
            "The name of a field is not written in camelCase.",
            "API conventions; generated clients and users expect it.",
        ),
        &["namingconventions"],
    ),
    also(
        rule(
            "float-used",
            Warning,
            Both,
            "A field is a floating-point number.",
            "Floats do not survive every client unchanged, so equality and apply see changes that are none.",
        ),
        &["nofloats"],
    ),
    rule(
        "gate-missing",
        Warning,
        GoTypes,
        "A field is new in a type that is published, and no feature gate guards it.",
        "Servers of different versions would disagree about it during a rollout (with --new-from).",
    ),
    rule(
        "immutable-bypass",
        Warning,
        Definitions,
        "An optional field is immutable by `self == oldSelf` alone.",
        "Removing the field and adding it again with another value passes.",
    ),
    also(
        rule(
            "integer-width",
            Warning,
            Both,
            "An integer is neither int32 nor int64.",
            "Clients in other languages choose the width by the format.",
        ),
        &["integers"],
    ),
    rule(
        "json-tag-differs",
        Warning,
        GoTypes,
        "The JSON name of a field is not its Go name in camelCase.",
        "People who read the code and people who write the YAML talk past each other.",
    ),
    also(
        rule(
            "json-tag-missing",
            Error,
            GoTypes,
            "A field of an API type has no json tag.",
            "It is published under its Go name and cannot be renamed later.",
        ),
        &["jsontags"],
    ),
    rule(
        "list-map-key-optional",
        Warning,
        Both,
        "A key of a list-map is optional or has a default.",
        "Apply cannot tell items apart when part of their key may be absent.",
    ),
    also(
        fixable(rule(
            "list-type-missing",
            Warning,
            Both,
            "A list does not say whether it is atomic, a set or a map.",
            "It is atomic then: two appliers fight over the whole list. Say so, or make it a map.",
        )),
        &["ssatags"],
    ),
    also(
        opt_in(rule(
            "map-used",
            Warning,
            GoTypes,
            "A field is a map, and not one of texts to texts.",
            "A list of named items can be applied by several, ordered and extended.",
        )),
        &["nomaps"],
    ),
    also(
        rule(
            "marker-conflict",
            Warning,
            GoTypes,
            "A field is marked both optional and required.",
            "Generators disagree about which one counts.",
        ),
        &["conflictingmarkers"],
    ),
    also(
        rule(
            "marker-duplicate",
            Warning,
            GoTypes,
            "A marker is written twice with the same value.",
            "One of them is forgotten when the other is changed.",
        ),
        &["duplicatemarkers"],
    ),
    also(
        rule(
            "marker-forbidden",
            Warning,
            GoTypes,
            "A marker is one that `--forbid-marker` names.",
            "The project does not want it.",
        ),
        &["forbiddenmarkers"],
    ),
    also(
        rule(
            "marker-preferred",
            Warning,
            GoTypes,
            "A marker is one that `--prefer-marker` has a better name for.",
            "One spelling is read by everyone.",
        ),
        &["preferredmarkers"],
    ),
    also(
        opt_in(rule(
            "max-length-missing",
            Warning,
            GoTypes,
            "A string or a list has no greatest length.",
            "Objects grow without bound, and rules in CEL over it cost too much.",
        )),
        &["maxlength"],
    ),
    also(
        opt_in(rule(
            "min-length-missing",
            Warning,
            GoTypes,
            "A required string or list may be empty.",
            "An empty value passes for one that was given.",
        )),
        &["minlength"],
    ),
    also(
        rule(
            "optional-always-written",
            Warning,
            GoTypes,
            "An optional field is written even when it is empty: the json tag lacks omitempty.",
            "Clients send zero values that nobody chose.",
        ),
        &["optionalfields"],
    ),
    also(
        opt_in(rule(
            "phase-used",
            Warning,
            GoTypes,
            "A field is called phase.",
            "A phase cannot grow new values without breaking those who read it; conditions can.",
        )),
        &["nophase"],
    ),
    also(
        rule(
            "presence-unmarked",
            Warning,
            GoTypes,
            "A field is marked neither optional nor required.",
            "Generators disagree about the default; users see what the generator chose.",
        ),
        &["optionalorrequired"],
    ),
    rule(
        "refused",
        Error,
        Definitions,
        "The API server refuses the definition.",
        "It cannot be installed.",
    ),
    also(
        rule(
            "required-with-default",
            Warning,
            Both,
            "A required field has a default.",
            "It is never missing, so required says nothing; clients that check still insist on it.",
        ),
        &["defaultorrequired"],
    ),
    rule(
        "rule-message-missing",
        Warning,
        Definitions,
        "A CEL rule has no message.",
        "Users read the expression instead of what to do.",
    ),
    rule(
        "schema-open",
        Warning,
        Definitions,
        "A place keeps unknown fields.",
        "Typing mistakes pass in silence below it.",
    ),
    also(
        rule(
            "status-not-subresource",
            Warning,
            Definitions,
            "There is a status, and no status subresource.",
            "Users overwrite the status, controllers the spec.",
        ),
        &["statussubresource"],
    ),
    also(
        rule(
            "status-required",
            Warning,
            Definitions,
            "Status is required.",
            "Users would have to write what the controller reports.",
        ),
        &["statusoptional"],
    ),
    rule("syntax", Error, Both, "The text cannot be read.", "Nothing in it was looked at."),
    rule(
        "tag",
        Error,
        GoTypes,
        "A tag is unknown, misplaced or mistaken.",
        "What it should declare is not declared.",
    ),
    also(
        opt_in(rule(
            "timestamp-name",
            Warning,
            GoTypes,
            "A name has `timestamp` in it.",
            "The API says time: `startTime`, not `startTimestamp`.",
        )),
        &["notimestamp"],
    ),
    rule(
        "undocumented",
        Warning,
        Both,
        "A field has no documentation.",
        "kubectl explain shows nothing.",
    ),
    rule(
        "union-older-members",
        Warning,
        GoTypes,
        "A discriminator is new, its members are not, and nothing infers it.",
        "Clients that do not know it can no longer switch members.",
    ),
    rule(
        "union-undiscriminated",
        Warning,
        Definitions,
        "A oneOf chooses among fields without a field that names the choice.",
        "Clients that do not know a new member cannot tell what is set.",
    ),
    opt_in(rule(
        "version-drift",
        Warning,
        Both,
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
