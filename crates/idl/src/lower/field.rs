//! Fields: uses of types, with what a struct says about them.

use ordain_schema::{Declared, Node, NodeId, Presence, Union, UnionMember};
use ordain_value::Text;

use super::overlay::{Overlay, Pending};
use super::tags::Override;
use super::types::zero_is_absent;
use super::{Form, Lowering};
use crate::go::struct_tag;
use crate::graph::{Docs, Field, JsonField, NamedId, TypeId};
use crate::proposals::{self, DeclaredUnion};
use crate::tags::codetag;

impl Lowering<'_> {
    /// Lowers the fields of all structs that were met.
    pub(super) fn lower_structs(&mut self) {
        while let Some((ty, id)) = self.queue.pop() {
            self.lower_struct(ty, id);
        }
    }

    fn lower_struct(&mut self, ty: TypeId, id: NodeId) {
        let universe = self.universe;
        let unions = self.unions_of(ty, 0);
        let fields = universe.json_fields(ty);
        let mut uses = Vec::new();
        for entry in &fields {
            let union = unions.iter().find(|it| it.discriminator.as_ref() == Some(&entry.key));
            let (child, required) = self.field(entry, union);
            if required {
                self.nodes[id.index()].validation_mut().required.push(entry.key.clone());
            }
            self.nodes[id.index()].set_property(entry.key.clone(), child);
            uses.push((entry, child));
        }
        self.struct_rules(id, &uses);
        if !unions.is_empty() {
            self.nodes[id.index()].declared_mut().unions = unions;
        }
        if self.form == Form::Typed
            && let Some(union) = self.legacy_union(ty)
        {
            self.nodes[id.index()].declared_mut().legacy_unions.push(union);
        }
    }

    /// The union of a struct with upstream's `+union` tag. Members go by their Go names there,
    /// which need not be values of the discriminator.
    fn legacy_union(&self, ty: TypeId) -> Option<Union> {
        let universe = self.universe;
        let owner = *self.owners.get(&ty)?;
        let tagged = |docs: &Docs, name: &str| {
            let lines = universe.lines(docs.file, docs.closest);
            codetag::extract("+", &lines).iter().any(|line| line.name == name)
        };
        if !tagged(&universe.named(owner).docs, "union") {
            return None;
        }
        let mut union = Union::default();
        for field in universe.fields(ty).iter().filter(|it| !it.json.name.is_empty()) {
            let name = field.json.name.clone();
            if tagged(&field.docs, "unionDiscriminator") {
                union.discriminator = Some(name);
                continue;
            }
            let value = Text::from(field.name.as_str());
            union.members.push(UnionMember { field: name, value, optional: true });
        }
        Some(union)
    }

    /// The use of a type by a field, and whether the field is required.
    fn field(&mut self, entry: &JsonField<'_>, union: Option<&Union>) -> (NodeId, bool) {
        let universe = self.universe;
        let field = entry.field;
        let parent_is_meta = entry.through.iter().any(|it| self.is_type_meta(it.ty));
        if parent_is_meta {
            return (self.type_meta_field(), false);
        }
        let base = self.type_node(field.ty);
        let mut overlay = self.overlay(&field.docs, field.ty, false);
        if let Some(format) = overlay.constraints.name_format.take() {
            if entry.key == "metadata" {
                self.name_format = Some(format);
            } else {
                let message = "tag `+nameFormat` is about the metadata of an object";
                self.error(field.pos, message, "put it on metav1.ObjectMeta, or on the kind");
            }
        }
        let omitted = field.json.omitempty || field.json.omitzero;
        let no_member = union.is_some_and(|it| it.empty_values.iter().any(Text::is_empty));
        let tags = &overlay.tags;
        let required = (tags.required || (!tags.optional && !omitted)) && !no_member;
        let pointer = universe.native(field.ty).pointers > 0;
        // What must be given is not made up, except that a struct is always there.
        let implies = self.form == Form::Declared;
        if implies && !(tags.required || no_member) || implies && self.is_struct_value(field.ty) {
            overlay.implied = self.implied_default(field.ty, omitted);
        }
        let mut declared = Declared {
            presence: Presence::GoZero,
            pointer,
            optional: !required,
            discriminates: union.cloned(),
            ..Declared::default()
        };
        match self.form {
            Form::Declared if self.strips_zero(field.ty) => zero_is_absent(&mut declared),
            Form::Declared => {}
            Form::Typed => {
                declared.strip_zero = omitted;
                declared.omit_zero = field.json.omitzero;
                declared.embedded = entry.through.iter().map(|it| it.name.clone()).collect();
            }
        }
        struct_tags(field, &mut declared);
        let through = entry.through.iter().filter_map(|it| protobuf_number(it));
        declared.protobuf_through = through.collect();
        for outer in &entry.through {
            declared.gates.extend(self.gates_of(outer));
        }
        let package = self.universe.file(field.pos.file).package;
        if self.universe.package(package).requested {
            overlay.written.pos = Some(field.pos);
            let defaulted = overlay.default.is_some();
            let gated = !overlay.tags.gates.is_empty();
            self.look_at_gate(
                field.pos,
                gated,
                required && !defaulted && !self.is_struct_value(field.ty),
            );
        }
        overlay.as_text = field.json.string;
        overlay.declared = declared;
        let id = self.add(Node::default());
        let pending = Pending { base, overlay: Some(Box::new(overlay)) };
        self.note_overrides(id, &pending, field);
        self.pending.insert(id, pending);
        (id, required)
    }

    /// `apiVersion` or `kind`.
    fn type_meta_field(&mut self) -> NodeId {
        let mut node = Node { ty: ordain_schema::Type::String, ..Node::default() };
        if self.form == Form::Typed {
            let declared = node.declared_mut();
            declared.go_type = Some("string".into());
            (declared.strip_zero, declared.optional) = (true, true);
        }
        self.add(node)
    }

    fn note_overrides(&mut self, id: NodeId, pending: &Pending, field: &Field) {
        let Some(overlay) = &pending.overlay else { return };
        let found: Vec<Override> = overlay.tags.overrides.clone();
        self.overrides.extend(found.into_iter().map(|it| (id, field.ty, it)));
    }

    fn is_struct_value(&self, ty: TypeId) -> bool {
        self.universe.native_kind(ty) == crate::validation::GoKind::Struct
    }

    fn gates_of(&mut self, field: &Field) -> Vec<Text> {
        let overlay: Overlay = self.overlay(&field.docs, field.ty, false);
        overlay.tags.gates
    }

    pub(super) fn is_type_meta(&self, ty: TypeId) -> bool {
        self.is_meta(ty, "TypeMeta")
    }

    pub(super) fn is_meta(&self, ty: TypeId, name: &str) -> bool {
        self.universe.as_named(ty).is_some_and(|id: NamedId| {
            self.universe.named(id).name == name
                && self.universe.package_of(id).path == "k8s.io/apimachinery/pkg/apis/meta/v1"
        })
    }

    /// The unions of a struct, those of structs it takes in included.
    fn unions_of(&mut self, ty: TypeId, depth: usize) -> Vec<Union> {
        let universe = self.universe;
        let named = self.owners.get(&ty).map_or(ty, |named| universe.type_of(*named));
        let (found, diagnostics) = proposals::unions(universe, named);
        self.diagnostics.extend(diagnostics);
        let mut unions: Vec<Union> = found.iter().map(union).collect();
        for field in universe.fields(ty) {
            if field.embedded && field.json.name.is_empty() && depth < 32 {
                let inner = universe.underlying(universe.deref(field.ty));
                unions.extend(self.unions_of(inner, depth + 1));
            }
        }
        unions
    }
}

fn union(declared: &DeclaredUnion) -> Union {
    let selects = |value: &Text| declared.members.iter().any(|it| it.value == *value);
    Union {
        name: declared.discriminator.clone(),
        discriminator: Some(declared.discriminator.clone()),
        members: (declared.members.iter())
            .map(|it| UnionMember {
                field: it.name.clone(),
                value: it.value.clone(),
                optional: it.optional,
            })
            .collect(),
        empty_values: declared.values.iter().filter(|it| !selects(it)).cloned().collect(),
        inferred: declared.inferred,
        ..Union::default()
    }
}

/// What the other struct tags say: patch keys and protobuf numbers.
fn struct_tags(field: &Field, declared: &mut Declared) {
    if let Some(strategy) = struct_tag::lookup(&field.tag, "patchStrategy") {
        declared.patch_strategy = strategy.split(',').map(Text::from).collect();
    }
    declared.patch_merge_key = struct_tag::lookup(&field.tag, "patchMergeKey").map(Text::from);
    declared.protobuf = protobuf_number(field);
}

fn protobuf_number(field: &Field) -> Option<u32> {
    struct_tag::lookup(&field.tag, "protobuf")?.split(',').nth(1)?.parse().ok()
}
