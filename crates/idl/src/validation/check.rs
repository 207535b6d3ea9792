//! From comment lines to rules: which tags there are, whether they may stand there, and what each
//! of them declares.

use ordain_schema::native::{Level, Rule};
use ordain_value::Text;

use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::rule::{Function, Rules};
use super::union::UnionKind;
use crate::go::comment::DocLine;
use crate::source::FileId;
use crate::tags::codetag::{self, Extracted, Tag, TagValue, Values, go_quote};
use crate::tags::newer;
use crate::tags::registry::{self, ArgSpec, Payload, TagSpec};

pub(super) type Outcome = Result<Rules, Refusal>;

/// The validation tags in comment lines, by name and then in order.
pub(super) fn extract_tags(file: FileId, lines: &[DocLine<'_>]) -> Result<Vec<LineTag>, Refusal> {
    let mut found: Vec<Extracted<'_>> = codetag::extract("+", lines);
    found.retain(|line| registry::validation(line.name).is_some() && !is_plain_warning(line));
    found.sort_by(|a, b| a.name.cmp(b.name));
    let mut out = Vec::with_capacity(found.len());
    for line in &found {
        match codetag::parse(line.text, Values::Parsed) {
            Ok(tag) => out.push(LineTag { tag, file, base: line.offset }),
            Err(error) => {
                let same: Vec<&str> = found
                    .iter()
                    .filter(|other| other.name == line.name)
                    .map(|other| other.text.trim_end())
                    .collect();
                let pos = crate::source::Pos { file, offset: line.offset + error.offset as u32 };
                let message =
                    format!("failed to parse tags: {}: [{}]", error.message, same.join(" "));
                let usage = registry::validation(line.name).map_or("", |spec| spec.usage);
                return Err(Refusal::new(pos, message).help(format!("write it like `{usage}`")));
            }
        }
    }
    Ok(out)
}

impl<'u> Discovery<'u> {
    /// What the tags declare at a place; upstream's `ExtractTagValidations`.
    pub(super) fn tag_rules(&mut self, context: &Context<'u>, tags: &[LineTag]) -> Outcome {
        let mut rules = Rules::default();
        for late in [false, true] {
            for tag in tags {
                let Some(spec) = registry::validation(&tag.tag.name) else {
                    if self.newer_tags_pass && self.passes_newer(tag) {
                        continue;
                    }
                    // Upstream panics on an unknown tag inside another.
                    let message = format!("unknown tag \"{}\"", tag.tag.name);
                    return Err(unknown_inner(Refusal::new(tag.pos(), message), &tag.tag.name));
                };
                if spec.late != late {
                    continue;
                }
                let wrap = |refusal: Refusal| refusal.inside(&format!("tag \"{}\"", spec.name));
                if !spec.places.contains(&context.place) {
                    let message = format!(
                        "tag \"{}\" cannot be specified on {}",
                        spec.name,
                        context.place.words()
                    );
                    return Err(Refusal::new(tag.pos(), message).help(places_help(spec)));
                }
                type_check(tag, spec).map_err(wrap)?;
                let mut these = match self.one_tag(context, tag, spec) {
                    Err(refusal) if self.newer_tags_pass && refusal.newer.is_some() => {
                        self.tell_newer(spec.name, refusal);
                        continue;
                    }
                    other => other.map_err(wrap)?,
                };
                for function in &mut these.functions {
                    function.pos = function.pos.or(Some(tag.pos()));
                }
                rules.add(these);
            }
        }
        Ok(rules)
    }

    /// Whether a tag may be one of a newer release, which is reported and has no effect.
    fn passes_newer(&mut self, tag: &LineTag) -> bool {
        let name = &tag.tag.name;
        let newer = registry::judge(name) == registry::Known::Newer;
        if newer {
            let message = format!("unknown tag `+{name}`");
            let help = newer::help(name);
            self.diagnostics.push(newer::finding(self.universe, tag.pos(), message, help));
        }
        newer
    }

    /// Tells that a newer release accepts what a tag says; the tag has no effect.
    fn tell_newer(&mut self, name: &str, refusal: Refusal) {
        let message = format!("tag `+{name}`: {}", refusal.message);
        let release = refusal.newer.unwrap_or_default();
        let help = format!("Kubernetes {release} accepts it; here the tag has no effect");
        self.diagnostics.push(newer::finding(self.universe, refusal.pos, message, help));
    }

    fn one_tag(&mut self, context: &Context<'u>, tag: &LineTag, spec: &'static TagSpec) -> Outcome {
        match spec.name {
            "k8s:required" => self.required(context, tag),
            "k8s:optional" => self.optional(context, tag),
            "k8s:forbidden" => self.forbidden(context, tag),
            "k8s:maxLength" | "k8s:minLength" | "k8s:maxBytes" | "k8s:minItems"
            | "k8s:maxItems" | "k8s:minimum" | "k8s:maximum" => self.limit(context, tag, spec.name),
            "k8s:neq" => self.neq(context, tag),
            "k8s:format" => self.format(context, tag),
            "k8s:enum" => self.enumeration(context, tag),
            "k8s:enumExclude" => Ok(Rules::default()),
            "k8s:immutable" => Ok(Rules::of(Function::new(Rule::Immutable).short_circuit())),
            "k8s:opaqueType" => Ok(Rules { opaque_type: true, ..Rules::default() }),
            "k8s:listType" => self.list_type(context, tag),
            "k8s:listMapKey" => self.list_map_key(context, tag),
            "k8s:unique" => self.unique(context, tag),
            "k8s:customUnique" => self.custom_unique(context, tag),
            "k8s:eachVal" => self.each_val(context, tag),
            "k8s:eachKey" => self.each_key(context, tag),
            "k8s:item" => self.item(context, tag),
            "k8s:subfield" => self.subfield(context, tag),
            "k8s:ifEnabled" => self.if_option(context, tag, true),
            "k8s:ifDisabled" => self.if_option(context, tag, false),
            "k8s:alpha" => self.level(context, tag, Level::Alpha),
            "k8s:beta" => self.level(context, tag, Level::Beta),
            "k8s:warning" => self.warning(context, tag),
            "k8s:update" => self.update(context, tag),
            "k8s:unionDiscriminator" => self.union_discriminator(context, tag),
            "k8s:unionMember" => self.union_member(context, tag, UnionKind::ExactlyOne),
            "k8s:zeroOrOneOfMember" => self.union_member(context, tag, UnionKind::AtMostOne),
            "k8s:discriminator" => self.discriminator(context, tag),
            "k8s:member" => self.member(context, tag),
            name => fixed_result(tag, name),
        }
    }

    /// `+k8s:ifEnabled(x)=+…`
    fn if_option(&mut self, context: &Context<'u>, tag: &LineTag, enabled: bool) -> Outcome {
        let (Some(option), TagValue::Tag(inner)) = (tag.tag.positional(), &tag.tag.value) else {
            let message = "missing required option name positional argument";
            return Err(Refusal::new(tag.pos(), message));
        };
        let inner = self.tag_rules(context, &[tag.inner(inner)])?;
        // Upstream turns the rule into a call that takes a pointer; for lists and maps the code
        // it writes does not compile.
        let mut out = Rules::default();
        for function in inner.functions {
            out.variables += inner.variables;
            let option = Text::new(&option.value);
            let around = |inner| Rule::IfOption { option, enabled, inner };
            out.functions.push(function.wrapped(around));
        }
        Ok(out)
    }

    /// `+k8s:warning(message: "text")=+…`: errors of the inner tag become warnings.
    /// With a text for its value the tag is about presence, and no rule.
    fn warning(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let TagValue::Tag(inner) = &tag.tag.value else { return Ok(Rules::default()) };
        let text = tag.tag.args.iter().find(|it| it.name == "message").map(|it| it.value.clone());
        let inner = self.tag_rules(context, &[tag.inner(inner)])?;
        let wrap = |function: Function| {
            // A warning ends nothing: what else is wrong is reported all the same.
            let text = Text::new(text.as_deref().unwrap_or_default());
            Function::new(Rule::Warn { text, inner: Box::new(function.check) })
        };
        let functions = inner.functions.into_iter().map(wrap).collect();
        Ok(Rules { functions, variables: inner.variables, ..Rules::default() })
    }

    /// `+k8s:alpha(since: "1.36")=+…`
    fn level(&mut self, context: &Context<'u>, tag: &LineTag, level: Level) -> Outcome {
        let TagValue::Tag(inner) = &tag.tag.value else {
            return Err(Refusal::new(tag.pos(), "requires a validation tag as its value payload"));
        };
        if let Some(arg) = tag.tag.args.first() {
            let minor = arg.value.strip_prefix("1.").unwrap_or("");
            if minor.is_empty() || !minor.bytes().all(|byte| byte.is_ascii_digit()) {
                let message = format!(
                    "invalid kubernetes version format, expected 1.<minor version>, got {}",
                    arg.value
                );
                return Err(
                    Refusal::new(tag.pos(), message).help("write it like `since: \"1.36\"`")
                );
            }
        }
        let context = Context { level: Some(level), ..context.clone() };
        let inner = self.tag_rules(&context, &[tag.inner(inner)])?;
        let functions =
            inner.functions.into_iter().map(|function| function.level(Some(level))).collect();
        Ok(Rules { functions, variables: inner.variables, ..Rules::default() })
    }
}

/// Whether a warning has a text and no rule, which is whoever lowers fields to read.
fn is_plain_warning(line: &Extracted<'_>) -> bool {
    line.name == "k8s:warning" && !line.text.contains("=+")
}

/// The tags that exist for tests of generators.
fn fixed_result(tag: &LineTag, name: &'static str) -> Outcome {
    if name == "k8s:validateError" {
        let message = format!("forced error: {}", go_quote(tag.tag.value.text()));
        return Err(Refusal::new(tag.pos(), message).help("take the tag away"));
    }
    let text = match &tag.tag.value {
        TagValue::Str(text) => text.clone(),
        _ => String::new(),
    };
    let valid = name != "k8s:validateFalse";
    let mut function = Function::new(Rule::Forced { valid, message: Text::new(text) });
    for arg in &tag.tag.args {
        match arg.name.as_str() {
            "flags" => {
                for flag in arg.value.split(',') {
                    match flag.trim() {
                        "ShortCircuit" => function.check.short_circuit = true,
                        "NonError" => function.check.non_error = true,
                        other => {
                            let message = format!(
                                "can't decode tag payload: unknown flag: {}",
                                go_quote(other)
                            );
                            return Err(Refusal::new(tag.pos(), message)
                                .help("the flags are ShortCircuit and NonError"));
                        }
                    }
                }
            }
            "cohort" => function = function.cohort(&arg.value),
            _ => {}
        }
    }
    Ok(Rules::of(function))
}

/// Whether arguments and value have the types the registry says.
fn type_check(tag: &LineTag, spec: &TagSpec) -> Result<(), Refusal> {
    let refuse = |message: String| {
        Err(Refusal::new(tag.pos(), message).help(format!("write it like `{}`", spec.usage)))
    };
    let Tag { args, value, .. } = &tag.tag;
    for ArgSpec { name, required } in spec.args {
        match args.iter().find(|arg| arg.name == *name) {
            Some(arg) if arg.kind != codetag::ArgKind::String => {
                return refuse(format!(
                    "argument {} has wrong type: got {}, want string",
                    go_quote(&arg.to_string()),
                    arg.kind.name()
                ));
            }
            None if *required && name.is_empty() => {
                return refuse("missing required positional argument of type string".into());
            }
            None if *required => {
                return refuse(format!("missing named argument \"{name}\" of type string"));
            }
            _ => {}
        }
    }
    for arg in args {
        if !spec.any_args && !spec.args.iter().any(|known| known.name == arg.name) {
            return refuse(format!("unrecognized named argument {}", go_quote(&arg.to_string())));
        }
    }
    if *value == TagValue::None {
        if spec.payload_required {
            return refuse(format!("missing required tag value of type {}", spec.payload.name()));
        }
    } else if spec.payload != Payload::Any && value.kind_name() != spec.payload.name() {
        return refuse(format!(
            "tag value has wrong type: got {}, want {}",
            value.kind_name(),
            spec.payload.name()
        ));
    }
    Ok(())
}

fn places_help(spec: &TagSpec) -> String {
    let places: Vec<&str> = spec.places.iter().map(|place| place.words()).collect();
    format!("the tag belongs on {}", places.join(", "))
}

pub(super) fn unknown_inner(refusal: Refusal, name: &str) -> Refusal {
    match registry::judge(name) {
        registry::Known::Mistake(Some(similar)) => {
            refusal.help(format!("did you mean `+{similar}`?"))
        }
        _ => refusal.help("only validation tags may stand inside a tag"),
    }
}
