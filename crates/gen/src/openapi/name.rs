//! Names of definitions: the type's Go name, unless the package or the type states a model name.

use ordain_idl::graph::NamedId;
use ordain_idl::model_name::model_package;
use ordain_value::Text;

use super::{Generator, Outcome};

impl Generator<'_> {
    /// The name of a type's definition.
    pub(super) fn definition_name(&self, id: NamedId) -> Outcome<Text> {
        let named = self.universe.named(id);
        if let Some(stated) = self.stated_text(id, "OpenAPIModelName")? {
            return Ok(Text::from(stated));
        }
        let model = model_package(self.universe, id)?;
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
