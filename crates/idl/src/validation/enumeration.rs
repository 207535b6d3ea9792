//! Enums: the constants of a string type.

use ordain_schema::native::{Exclusion, Rule};
use ordain_value::Text;
use smol_str::SmolStr;

use super::check::{Outcome, extract_tags};
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::rule::{Function, Rules};
use crate::graph::{Const, ConstType, ConstValue, PackageId};
use crate::tags::codetag::TagValue;
use crate::tags::registry::Place;

/// An enum's value while it is gathered.
struct Candidate {
    name: SmolStr,
    value: SmolStr,
    comment: String,
    exclusions: Vec<Exclusion>,
}

impl<'u> Discovery<'u> {
    pub(super) fn enumeration(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        if !self.universe.is_go_string(self.universe.native_base(context.ty))
            || self.universe.native(context.ty).pointers > 0
        {
            return self.only_on(context, tag, "string types");
        }
        let Some(named) = self.universe.as_named(context.ty) else { return Ok(Rules::default()) };
        let mut candidates: Vec<Candidate> = Vec::new();
        for constant in self.constants_of(self.universe.named(named).package, context.ty) {
            let ConstValue::Str(value) = &constant.value else { continue };
            let lines = self.universe.lines(constant.docs.file, constant.docs.closest);
            let Ok(tags) = extract_tags(constant.docs.file, &lines) else { continue };
            if tags.iter().any(|tag| tag.tag.name == "k8s:enumExclude") {
                continue;
            }
            let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
            let candidate = Candidate {
                name: constant.name.clone(),
                value: value.clone(),
                comment: texts.join(" "),
                exclusions: exclusions(&tags, value),
            };
            add(&mut candidates, candidate);
        }
        candidates.sort_by(|a, b| a.name.cmp(&b.name));
        let exclusions = candidates.iter().flat_map(|it| it.exclusions.iter().cloned()).collect();
        let mut values: Vec<SmolStr> = candidates.into_iter().map(|it| it.value).collect();
        values.sort();
        let mut rules = Rules::of(Function::new(Rule::Enum { values, exclusions }));
        rules.variables = 1;
        Ok(rules)
    }

    /// Constants of a type in the packages that take part, the type's own package first.
    fn constants_of(&self, own: PackageId, ty: crate::graph::TypeId) -> Vec<&'u Const> {
        let mut packages: Vec<_> =
            self.universe.packages().iter().filter(|package| self.takes_part(package.id)).collect();
        packages.sort_by_key(|package| (package.id != own, package.path.clone()));
        packages
            .into_iter()
            .flat_map(|package| package.consts.values())
            .map(|id| self.universe.constant(*id))
            .filter(|constant| {
                matches!(constant.ty, ConstType::Typed(of)
                    if self.universe.unalias(of) == self.universe.unalias(ty))
            })
            .collect()
    }

    /// Checks the tags on constants: only those about enums may stand there.
    pub(super) fn check_constants(&mut self, package: PackageId) {
        let ids: Vec<_> = self.universe.package(package).consts.values().copied().collect();
        for id in ids {
            let constant = self.universe.constant(id);
            let lines = self.universe.lines(constant.docs.file, constant.docs.closest);
            let full = format!("{}.{}", self.universe.package(package).path, constant.name);
            let outcome = extract_tags(constant.docs.file, &lines).and_then(|tags| {
                let context = Context {
                    place: Place::Constant,
                    ty: match constant.ty {
                        ConstType::Typed(ty) => ty,
                        ConstType::Untyped(_) => crate::graph::TypeId(0),
                    },
                    path: String::new(),
                    parent: String::new(),
                    member: None,
                    selector: None,
                    level: None,
                    pos: constant.pos,
                };
                self.tag_rules(&context, &tags)
            });
            if let Err(refusal) = outcome {
                self.refuse(refusal.inside(&format!("constant {full}")));
            }
        }
    }

    pub(super) fn refuse(&mut self, refusal: Refusal) {
        let diagnostic = refusal.into_diagnostic("validation-tag");
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}

/// Adds a value unless it is there; of two constants with one value, the longer comment wins.
fn add(candidates: &mut Vec<Candidate>, new: Candidate) {
    match candidates.iter_mut().find(|known| known.value == new.value) {
        None => candidates.push(new),
        Some(known) => {
            let longer = known.comment.len() < new.comment.len();
            let later = known.comment.len() == new.comment.len() && known.comment > new.comment;
            if longer || later {
                *known = new;
            }
        }
    }
}

fn exclusions(tags: &[LineTag], value: &SmolStr) -> Vec<Exclusion> {
    let mut out: Vec<Exclusion> = tags
        .iter()
        .filter_map(|tag| {
            let when = match tag.tag.name.as_str() {
                "k8s:ifEnabled" => true,
                "k8s:ifDisabled" => false,
                _ => return None,
            };
            match &tag.tag.value {
                TagValue::Tag(inner) if inner.name == "k8s:enumExclude" => {}
                _ => return None,
            }
            let option = Text::new(&tag.tag.positional()?.value);
            Some(Exclusion { value: value.clone(), option, when })
        })
        .collect();
    out.sort_by(|a, b| (a.when, &a.option).cmp(&(b.when, &b.option)));
    out
}
