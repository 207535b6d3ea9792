//! Access to spec, status and generation of a kind (KEP-5975), without knowing the kind: by the
//! traits of the `kube` crate, whose derive writes those of kinds that it declares.

use std::fmt::Write as _;

use super::types::Field;

/// Spec and status of a kind that is written out.
pub(super) fn parts(kind: &str, fields: &[Field], out: &mut String) {
    let find = |name: &str| fields.iter().find(|it| it.json == name);
    if let Some(spec) = find("spec") {
        let ty = if spec.required { spec.ty.clone() } else { format!("Option<{}>", spec.ty) };
        let _ = write!(
            out,
            "
impl kube::core::object::HasSpec for {kind} {{
    type Spec = {ty};

    fn spec(&self) -> &Self::Spec {{
        &self.spec
    }}

    fn spec_mut(&mut self) -> &mut Self::Spec {{
        &mut self.spec
    }}
}}
"
        );
    }
    // The trait is for a status that may be missing, as it is until it is first written.
    if let Some(status) = find("status").filter(|it| !it.required) {
        let _ = write!(
            out,
            "
impl kube::core::object::HasStatus for {kind} {{
    type Status = {ty};

    fn status(&self) -> Option<&Self::Status> {{
        self.status.as_ref()
    }}

    fn status_mut(&mut self) -> &mut Option<Self::Status> {{
        &mut self.status
    }}
}}
",
            ty = status.ty
        );
    }
}

/// How often the wanted state has changed.
pub(super) fn generation(kind: &str, out: &mut String) {
    let _ = write!(
        out,
        "
impl {kind} {{
    /// How often the wanted state has changed; 0 before the object is stored.
    pub fn generation(&self) -> i64 {{
        self.metadata.generation.unwrap_or(0)
    }}

    /// Says how often the wanted state has changed.
    pub fn set_generation(&mut self, generation: i64) {{
        self.metadata.generation = Some(generation);
    }}
}}
"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(json: &str, ty: &str, required: bool) -> Field {
        let (name, ty) = (json.to_owned(), ty.to_owned());
        Field { json: json.into(), name, doc: String::new(), ty, required, has_default: true }
    }

    #[test]
    fn spec_and_status_are_reached_by_the_traits_of_kube() {
        let mut out = String::new();
        parts("Tool", &[field("spec", "Spec", true), field("status", "Status", false)], &mut out);
        assert!(out.contains("impl kube::core::object::HasSpec for Tool"), "{out}");
        assert!(out.contains("type Spec = Spec;") && out.contains("type Status = Status;"));
        let mut out = String::new();
        parts("Tool", &[field("spec", "Spec", false), field("status", "Status", true)], &mut out);
        assert!(out.contains("type Spec = Option<Spec>;"), "{out}");
        assert!(!out.contains("HasStatus"), "a status that is always there does not fit: {out}");
        let mut out = String::new();
        parts("Tool", &[field("note", "String", true)], &mut out);
        assert!(out.is_empty(), "{out}");
    }
}
