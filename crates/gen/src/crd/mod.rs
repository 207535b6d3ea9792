//! `CustomResourceDefinition`s from Go types with markers, as controller-gen writes them.
//!
//! A kind is a struct that embeds `metav1.TypeMeta` and `metav1.ObjectMeta`. Each declared type
//! becomes a schema with references ([`schema`]), markers change it ([`apply`]), tags of other
//! families add to it or are refused ([`crate::declared`]), references and
//! embedded structs are dissolved ([`flatten`]), and the versions of a kind are put together
//! ([`spec`]).

mod apply;
mod doc;
mod fields;
mod flatten;
mod known;
mod schema;
mod spec;

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use ordain_idl::graph::{NamedId, Package, PackageId};
use ordain_idl::tags::marker::{Marker, PackageMarkers};
use ordain_idl::{Diagnostic, Pos, Universe};
use ordain_schema::raw::Raw;
use ordain_value::{Text, Value};

use crate::declared::{Tags, Target};

/// How CRDs are written; the names are controller-gen's.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Descriptions are cut to so many bytes; 0 leaves them out.
    pub max_desc_len: Option<usize>,
    /// Floating-point numbers are allowed.
    pub allow_dangerous_types: bool,
    /// Fields that are not exported are passed over instead of refused.
    pub ignore_unexported_fields: bool,
    /// Metadata of embedded objects has its fields.
    pub generate_embedded_object_meta: bool,
    /// Writes `spec.preserveUnknownFields`.
    pub preserve_unknown_fields: Option<bool>,
    /// Writes this as `controller-gen.kubebuilder.io/version`, for files that carry it, and the text
    /// of that release where releases differ.
    pub controller_gen_version: Option<Text>,
    /// Tags that definitions cannot express are warnings rather than errors.
    pub allow_loss: bool,
    /// Kinds of the core group come out as well, for those who compare or keep schemas: no server
    /// takes such a definition.
    pub core_group: bool,
}

impl Options {
    /// Whether the release whose text is written counts the fields of `OneOf` markers by a filter;
    /// later ones add them up, which costs less.
    fn counts_by_filter(&self) -> bool {
        self.is_up_to(21)
    }

    /// Whether that release writes the enumerations of a type and of a field both; later ones write
    /// the field's.
    fn keeps_both_enums(&self) -> bool {
        self.is_up_to(20)
    }

    /// Whether the release whose text is written is 0.MINOR or an earlier one.
    fn is_up_to(&self, last: u32) -> bool {
        let Some(version) = &self.controller_gen_version else { return false };
        let mut parts = version.trim_start_matches('v').split('.').map(str::parse::<u32>);
        matches!((parts.next(), parts.next()), (Some(Ok(0)), Some(Ok(minor))) if minor <= last)
    }
}

/// A CRD and the name of its file.
#[derive(Clone, Debug)]
pub struct File {
    /// `<group>_<plural>.yaml`
    pub name: String,
    /// The object.
    pub crd: Value,
}

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The CRDs by group and kind.
    pub files: Vec<File>,
    /// What is wrong, by place. With an error in it the files are not to be used.
    pub diagnostics: Vec<Diagnostic>,
}

impl Output {
    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Makes the CRDs of all kinds in the packages that were asked for.
#[must_use]
pub fn generate(universe: &Universe, options: &Options) -> Output {
    generate_for(universe, options, &|_| true)
}

/// Makes the CRDs of the kinds in some of the packages that were asked for.
#[must_use]
pub fn generate_for(
    universe: &Universe,
    options: &Options,
    wanted: &dyn Fn(&Package) -> bool,
) -> Output {
    let mut generator = Generator {
        universe,
        options,
        markers: HashMap::new(),
        schemata: HashMap::new(),
        flattened: HashMap::new(),
        open: Vec::new(),
        nodes: 0,
        absent: BTreeMap::new(),
        tags: Tags::new(universe, Target::Definition, options.allow_loss),
        diagnostics: crate::findings(universe),
    };
    let files = generator.run(wanted);
    let mut diagnostics = generator.diagnostics;
    diagnostics.append(&mut generator.tags.default_findings());
    diagnostics.append(&mut generator.tags.diagnostics);
    diagnostics.extend(generator.absent.iter().map(|(path, uses)| crate::absent(path, uses)));
    diagnostics.sort_by(|a, b| (a.pos, &a.message).cmp(&(b.pos, &b.message)));
    diagnostics.dedup();
    Output { files, diagnostics }
}

/// The work on one set of packages.
struct Generator<'a> {
    universe: &'a Universe,
    options: &'a Options,
    markers: HashMap<PackageId, Rc<PackageMarkers>>,
    /// Schemas with references.
    schemata: HashMap<NamedId, Raw>,
    /// Schemas without references, with the number of schemas in each.
    flattened: HashMap<NamedId, (Raw, usize)>,
    /// Types whose references are being dissolved, outermost first.
    open: Vec<NamedId>,
    /// Tags that controller-gen does not read.
    tags: Tags<'a>,
    /// How many schemas the kind at hand has so far.
    nodes: usize,
    /// Types that are needed of packages whose source is not here, with their places.
    absent: BTreeMap<Text, Vec<(Pos, String)>>,
    diagnostics: Vec<Diagnostic>,
}

impl Generator<'_> {
    /// The markers of a package, read once. Mistakes count where the author can act.
    fn markers(&mut self, package: PackageId) -> Rc<PackageMarkers> {
        if let Some(known) = self.markers.get(&package) {
            return Rc::clone(known);
        }
        let declared = self.universe.package(package);
        let read = Rc::new(PackageMarkers::read(self.universe, declared));
        if declared.requested {
            self.diagnostics.extend(read.diagnostics.iter().chain(&read.unread).cloned());
        }
        self.markers.insert(package, Rc::clone(&read));
        read
    }

    fn error(&mut self, code: &'static str, pos: Pos, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(code, pos, message));
    }
}

/// The first marker of a name.
fn find<'m>(markers: &'m [Marker], name: &str) -> Option<&'m Marker> {
    markers.iter().find(|marker| marker.name == name)
}
