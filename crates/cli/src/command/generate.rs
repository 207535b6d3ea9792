//! `ordain gen`.

mod diff;
mod input;
mod ours;
mod output;

use clap::{Args, Subcommand, ValueEnum};
use ordain_check::{Gates, Source, lint};
use ordain_gen::{crd, docs, jsonschema, kinds, object, openapi, rbac, rust, webhook};
use ordain_idl::{Diagnostic, Universe};
use ordain_schema::declared::Kind;
use ordain_value::{Text, Value, json, yaml};

use crate::command::Failure;
pub(crate) use input::usual_module_cache;
use input::{Input, Sources};
use output::{File, Output};

/// Generate files from declared types.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Custom resource definitions from Go types with markers.
    Crd(Crd),
    /// OpenAPI definitions from Go types, as openapi-gen publishes them.
    #[command(name = "openapi")]
    OpenApi(OpenApi),
    /// Reference documentation of kinds.
    Docs(Docs),
    /// JSON Schemas (draft 2020-12) of kinds.
    #[command(name = "jsonschema")]
    JsonSchema(JsonSchema),
    /// Rust types of kinds, for the kube crate.
    Rust(Rust),
    /// Roles from +kubebuilder:rbac markers, as controller-gen writes them.
    Rbac(Rbac),
    /// Webhook configurations from +kubebuilder:webhook markers, as controller-gen writes them.
    Webhook(Webhook),
    /// Copy methods of Go types (zz_generated.deepcopy.go), as controller-gen writes them.
    #[command(visible_alias = "deepcopy")]
    Object(Object),
}

impl Generate {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.what {
            What::Crd(crd) => crd.run(),
            What::OpenApi(openapi) => openapi.run(),
            What::Docs(docs) => docs.run(),
            What::JsonSchema(schema) => schema.run(),
            What::Rust(rust) => rust.run(),
            What::Rbac(rbac) => rbac.run(),
            What::Webhook(webhook) => webhook.run(),
            What::Object(object) => object.run(),
        }
    }
}

#[derive(Debug, Args)]
struct Crd {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Truncate descriptions to this many bytes; 0 omits them.
    #[arg(long, value_name = "BYTES")]
    max_desc_len: Option<usize>,
    /// Allow floating-point numbers.
    #[arg(long)]
    allow_dangerous_types: bool,
    /// Ignore fields that are not exported.
    #[arg(long)]
    ignore_unexported_fields: bool,
    /// Give the metadata of embedded objects its fields.
    #[arg(long)]
    generate_embedded_object_meta: bool,
    /// Write spec.preserveUnknownFields.
    #[arg(long, value_name = "true|false")]
    preserve_unknown_fields: Option<bool>,
    /// Write this as the annotation controller-gen.kubebuilder.io/version, and the text of that
    /// release where releases differ [default: that of the files in the output directory].
    #[arg(long, value_name = "VERSION")]
    controller_gen_version: Option<String>,
    #[command(flatten)]
    header: Header,
}

/// Where definitions say which release of controller-gen wrote them.
const VERSION: &str = "controller-gen.kubebuilder.io/version: ";

impl Crd {
    /// The release whose text is written: the one that is named, or that of the files that are
    /// there.
    fn written_version(&self) -> Option<String> {
        let there = || {
            let files = self.output.there().into_iter().filter(|it| it.ends_with(".yaml"));
            let mut texts = files.filter_map(|it| std::fs::read_to_string(it).ok());
            texts.find_map(|text| {
                let line = text.lines().find_map(|it| it.trim().strip_prefix(VERSION))?;
                Some(line.trim().trim_matches('"').to_owned())
            })
        };
        self.controller_gen_version.clone().or_else(there)
    }

    fn run(self) -> Result<(), Failure> {
        let universe = self.input.apis()?;
        let options = crd::Options {
            max_desc_len: self.max_desc_len,
            allow_dangerous_types: self.allow_dangerous_types,
            ignore_unexported_fields: self.ignore_unexported_fields,
            generate_embedded_object_meta: self.generate_embedded_object_meta,
            preserve_unknown_fields: self.preserve_unknown_fields,
            controller_gen_version: self.written_version().map(Text::from),
            allow_loss: self.input.reading.allow_loss,
            core_group: false,
        };
        let header = self.header.text()?;
        let made = crd::generate(&universe, &options);
        report(&universe, &made.diagnostics)?;
        for file in &made.files {
            let source = Source::new(&file.name, yaml::encode(&file.crd));
            let found = lint::lint_definitions(&source, &Gates::default());
            for refused in found.iter().filter(|it| it.finding.id == "refused") {
                let (place, why) = (&refused.finding.field, &refused.finding.message);
                print_message(&format!(
                    "warning: an API server refuses {}: {place}: {why}",
                    file.name
                ));
            }
        }
        let file = |file: crd::File| File {
            text: format!("{header}---\n{}", yaml::encode(&file.crd)),
            name: file.name,
        };
        self.output.write(made.files.into_iter().map(file).collect(), ours::definition)
    }
}

/// What files begin with.
#[derive(Debug, Args)]
struct Header {
    /// Prepend the text of this file to each generated file.
    #[arg(long, value_name = "FILE")]
    header_file: Option<std::path::PathBuf>,
    /// The year to put in place of ` YEAR` in the header.
    #[arg(long, value_name = "YEAR", default_value = "", hide_default_value = true)]
    year: String,
}

impl Header {
    fn text(&self) -> Result<String, Failure> {
        let Some(path) = &self.header_file else { return Ok(String::new()) };
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(text.replace(" YEAR", &format!(" {}", self.year)))
    }

    /// A file of objects, each behind a line of dashes; none without objects.
    fn objects(&self, name: &str, objects: &[Value]) -> Result<Vec<File>, Failure> {
        if objects.is_empty() {
            return Ok(Vec::new());
        }
        let mut text = self.text()?;
        objects.iter().for_each(|it| text.push_str(&format!("---\n{}", yaml::encode(it))));
        Ok(vec![File { name: name.to_owned(), text }])
    }
}

#[derive(Debug, Args)]
struct Rbac {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Role for rules that name none.
    #[arg(long, value_name = "NAME", default_value = "manager-role")]
    role_name: String,
    /// The name of the file.
    #[arg(long, value_name = "NAME", default_value = "role.yaml")]
    file_name: String,
    #[command(flatten)]
    header: Header,
}

impl Rbac {
    fn run(self) -> Result<(), Failure> {
        let universe = self.input.types()?;
        let made = rbac::generate(&universe, &self.role_name);
        report(&universe, &made.diagnostics)?;
        if made.roles.is_empty() {
            print_message("note: no +kubebuilder:rbac marker was found");
        }
        self.output.write(self.header.objects(&self.file_name, &made.roles)?, ours::none)
    }
}

#[derive(Debug, Args)]
struct Webhook {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    header: Header,
}

impl Webhook {
    fn run(self) -> Result<(), Failure> {
        let universe = self.input.types()?;
        let made = webhook::generate(&universe);
        report(&universe, &made.diagnostics)?;
        if made.configurations.is_empty() {
            print_message("note: no +kubebuilder:webhook marker was found");
        }
        self.output.write(self.header.objects("manifests.yaml", &made.configurations)?, ours::none)
    }
}

#[derive(Debug, Args)]
struct Object {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    header: Header,
    /// Write nothing; show a diff and fail when a file is missing or stale.
    #[arg(long)]
    check: bool,
}

impl Object {
    fn run(self) -> Result<(), Failure> {
        let universe = self.input.types_with(&["ignore_autogenerated"], false)?;
        let made = object::generate(&universe, &self.header.text()?);
        report(&universe, &made.diagnostics)?;
        if made.files.is_empty() {
            print_message(
                "note: no package or type asks for copies by +kubebuilder:object:generate or :root",
            );
        }
        let file =
            |it: object::File| File { name: format!("{}/{}", it.dir, object::FILE), text: it.text };
        Output::in_place(self.check).write(made.files.into_iter().map(file).collect(), ours::none)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Document {
    /// OpenAPI 3.0
    V3,
    /// OpenAPI 2.0 (Swagger)
    V2,
    /// Definitions with what they refer to, before any document is made of them
    Raw,
}

#[derive(Debug, Args)]
struct OpenApi {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Which document to write.
    #[arg(long = "version", value_enum, default_value = "v3", value_name = "VERSION")]
    document: Document,
    /// Define all types of the packages, whether or not they are tagged +k8s:openapi-gen=true.
    #[arg(long)]
    all: bool,
    /// Omit types of other packages; references to them then point outside of the document.
    #[arg(long)]
    own_only: bool,
    /// Omit the values of enumerations.
    #[arg(long)]
    without_enums: bool,
    /// Write what openapi-gen writes and nothing else: no unions of KEP-1027, no limits and rules
    /// of `+k8s:` tags and of KEP-4153.
    #[arg(long)]
    like_openapi_gen: bool,
    /// Report fields that violate the rules for API types.
    #[arg(long)]
    report_violations: bool,
}

impl OpenApi {
    fn run(self) -> Result<(), Failure> {
        let universe = self.input.types()?;
        let options = openapi::Options {
            untagged: self.all,
            dependencies: !self.own_only,
            without_enums: self.without_enums,
            unions: !self.like_openapi_gen,
            declared: !self.like_openapi_gen,
            allow_loss: self.input.reading.allow_loss,
        };
        let mut made = openapi::generate(&universe, options);
        // Who names a package wants it, whether or not openapi-gen would look at it.
        if matches!(made.diagnostics.as_slice(), [only] if only.code == "openapi-gen") {
            print_message(
                "note: no type is tagged +k8s:openapi-gen=true, so all types are defined",
            );
            made = openapi::generate(&universe, openapi::Options { untagged: true, ..options });
        }
        report(&universe, &made.diagnostics)?;
        if self.report_violations {
            made.violations.iter().for_each(|found| print_message(&found.to_string()));
        }
        let (name, document) = match self.document {
            Document::V3 => ("openapi.v3.json", made.v3()),
            Document::V2 => ("openapi.v2.json", made.v2()),
            Document::Raw => ("definitions.json", made.raw()),
        };
        let mut text = json::encode_pretty(&document);
        text.push('\n');
        self.output.write(vec![File { name: name.into(), text }], ours::none)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Page {
    Markdown,
    Html,
}

#[derive(Debug, Args)]
struct Docs {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Format of the pages.
    #[arg(long, value_enum, default_value = "markdown")]
    format: Page,
}

impl Docs {
    fn run(self) -> Result<(), Failure> {
        let kinds = kinds_of(&self.input)?;
        let format = match self.format {
            Page::Markdown => docs::Format::Markdown,
            Page::Html => docs::Format::Html,
        };
        let files = docs::generate(&kinds, format).into_iter();
        let files = files.map(|it| File { name: it.name, text: it.text }).collect();
        self.output.write(files, ours::page)
    }
}

#[derive(Debug, Args)]
struct JsonSchema {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
    /// Reject unknown fields (`additionalProperties: false`).
    #[arg(long)]
    strict: bool,
}

impl JsonSchema {
    fn run(self) -> Result<(), Failure> {
        let kinds = kinds_of(&self.input)?;
        let options = jsonschema::Options { strict: self.strict };
        let files = jsonschema::generate(&kinds, options).into_iter();
        let file =
            |it: jsonschema::File| File { text: jsonschema::encode(&it.schema), name: it.name };
        self.output.write(files.map(file).collect(), ours::schema)
    }
}

#[derive(Debug, Args)]
struct Rust {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    output: Output,
}

impl Rust {
    fn run(self) -> Result<(), Failure> {
        let kinds = kinds_of(&self.input)?;
        let mut files = rust::generate(&kinds);
        if !self.output.is_folder() {
            // A list of modules is of no use where all stands in one text.
            files.retain(|file| file.name != "mod.rs");
        }
        let file = |it: rust::File| File { name: it.name, text: it.text };
        self.output.write(files.into_iter().map(file).collect(), ours::module)
    }
}

/// The kinds that Go packages and definition files declare.
fn kinds_of(input: &Input) -> Result<Vec<Kind>, Failure> {
    let Sources { universe, definitions } = input.read()?;
    let mut out = Vec::new();
    if let Some(universe) = universe {
        let found = kinds::of_types(&universe);
        report(&universe, &found.diagnostics)?;
        out.extend(found.kinds);
    }
    for (place, definition) in definitions {
        let kind =
            kinds::of_definition(&definition).map_err(|error| format!("{place}: {error}"))?;
        out.push(kind);
    }
    out.sort_by(|a, b| (&a.group, &a.kind).cmp(&(&b.group, &b.kind)));
    Ok(out)
}

/// Reports what was found; an error among it ends the command.
fn report(universe: &Universe, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
    diagnostics.iter().for_each(|finding| print_message(&universe.locate(finding).to_string()));
    match diagnostics.iter().filter(|finding| finding.is_error()).count() {
        0 => Ok(()),
        1 => Err("1 error; nothing was written".into()),
        count => Err(format!("{count} errors; nothing was written")),
    }
}

/// Prints to standard error, where it does not mix with what is generated.
fn print_message(message: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{message}");
}
