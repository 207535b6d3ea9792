//! Names of definitions: the type's Go name, unless the package or the type states a model name.

use ordain_idl::graph::NamedId;
use ordain_idl::source::Pos;
use ordain_idl::tags::codetag::{self, TagValue, Values};
use ordain_idl::{Diagnostic, go::comment::DocLine, source::FileId};
use ordain_value::Text;

use super::{Generator, Outcome};

const MODEL_PACKAGE: &str = "k8s:openapi-model-package";

impl Generator<'_> {
    /// The name of a type's definition.
    pub(super) fn definition_name(&self, id: NamedId) -> Outcome<Text> {
        let named = self.universe.named(id);
        if let Some(stated) = self.stated_text(id, "OpenAPIModelName")? {
            return Ok(Text::from(stated));
        }
        let own: Vec<(FileId, DocLine<'_>)> = self
            .universe
            .lines(named.docs.file, named.docs.closest)
            .into_iter()
            .map(|line| (named.docs.file, line))
            .collect();
        let package = self.universe.package_of(id);
        let mut model = model_package(&own)?;
        if model.is_none() {
            let lines = if package.builtin {
                self.universe.package_lines(package)
            } else {
                self.universe.doc_go_lines(package)
            };
            model = model_package(&lines)?;
        }
        let mut name = match model {
            Some(model) => format!("{model}.{}", named.name),
            None => self.universe.qualified(id),
        };
        for arg in &named.args {
            // Instances of generic types, which openapi-gen cannot write, are named by arguments.
            let shown = self.universe.display(*arg);
            let short: String = shown
                .rsplit('/')
                .next()
                .unwrap_or(&shown)
                .chars()
                .map(|c| if c.is_alphanumeric() || c == '.' { c } else { '_' })
                .collect();
            name.push('_');
            name.push_str(&short);
        }
        Ok(Text::from(name))
    }

    /// The reference to a type's definition.
    pub(super) fn reference(&mut self, id: NamedId) -> Outcome<String> {
        let name = self.definition_name(id)?;
        self.references.insert(self.universe.display(self.universe.named(id).ty), id);
        Ok(format!("#/components/schemas/{}", name.replace('~', "~0").replace('/', "~1")))
    }
}

/// The value of the first `+k8s:openapi-model-package`, unless it is empty.
fn model_package(lines: &[(FileId, DocLine<'_>)]) -> Outcome<Option<String>> {
    for (file, line) in lines {
        for found in codetag::extract("+", std::slice::from_ref(line)) {
            if found.name != MODEL_PACKAGE {
                continue;
            }
            let tag = codetag::parse(found.text, Values::Raw).map_err(|error| {
                let pos = Pos { file: *file, offset: found.offset };
                Diagnostic::error("tag", pos, format!("invalid {MODEL_PACKAGE}: {}", error.message))
            })?;
            return Ok(match tag.value {
                TagValue::Raw(value) if !value.is_empty() => Some(value),
                _ => None,
            });
        }
    }
    Ok(None)
}
