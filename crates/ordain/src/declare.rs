//! What Rust types say about themselves, collected and lowered.
//!
//! Derived implementations of [`Schema`] fill [`Declarations`] with the same structs, fields and
//! tags that the Go reader finds in tagged Go types; [`Kinds`] lowers them with the same code. The
//! derives use what is public here; hand-written implementations of [`Schema`] may, too.

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

pub use ordain_idl::declare::{Alias, Constant, Enum, Field, Origin, Package, Struct, Ty};
use ordain_idl::declare::{Places, universe};
use ordain_idl::lower::lower;
use ordain_idl::source::Position;
use ordain_schema::declared::Api;
use ordain_value::serde::{from_value, to_value};
use ordain_value::{Map, Text, Value, json as encoding};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::kind::{Resource, Schema};

/// One declared type.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Named fields.
    Struct(Struct),
    /// One of some texts.
    Enum(Enum),
    /// Another name for a type, with rules of its own.
    Alias(Alias),
}

/// The types of one package, as they are met.
#[derive(Clone, Debug, Default)]
pub struct Declarations {
    package: Package,
    names: BTreeMap<String, (TypeId, &'static str)>,
    clashes: Vec<String>,
}

impl Declarations {
    /// Begins the declaration of a type. False when it is there already, or on its way.
    pub fn open<T: 'static>(&mut self, name: &str) -> bool {
        let (id, rust_name) = (TypeId::of::<T>(), std::any::type_name::<T>());
        match self.names.get(name) {
            None => {
                self.names.insert(name.to_owned(), (id, rust_name));
                true
            }
            Some((known, _)) if *known == id => false,
            Some((_, other)) => {
                let clash = format!(
                    "{other} and {rust_name} are both declared as `{name}` in {}: give one \
                     `#[ordain(name = \"…\")]`",
                    self.package.path
                );
                self.clashes.push(clash);
                false
            }
        }
    }

    /// Adds a declared type.
    pub fn add(&mut self, item: Item) {
        match item {
            Item::Struct(it) => self.package.structs.push(it),
            Item::Enum(it) => self.package.enums.push(it),
            Item::Alias(it) => self.package.aliases.push(it),
        }
    }

    /// Whether values of a declared type can be left out as empty, as Go's `omitempty` does.
    /// Structs cannot.
    #[must_use]
    pub fn can_be_empty(&self, ty: &Ty) -> bool {
        let mut at = ty;
        // A chain of names is no longer than the list of names.
        for _ in 0..=self.package.aliases.len() {
            let Ty::Local(name) = at else { return !matches!(at, Ty::Foreign(..)) };
            match self.package.aliases.iter().find(|it| it.name == *name) {
                Some(alias) => at = &alias.ty,
                None => return self.package.enums.iter().any(|it| it.name == *name),
            }
        }
        false
    }

    /// What was declared.
    #[must_use]
    pub fn package(&self) -> &Package {
        &self.package
    }
}

/// Kinds on their way to being served, one package for each group and version.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    packages: BTreeMap<&'static str, Declarations>,
}

impl Kinds {
    /// Adds a kind with all types it uses.
    pub fn add<T: Resource>(&mut self) {
        let declarations = self.packages.entry(T::PACKAGE).or_insert_with(|| {
            let (path, group) = (T::PACKAGE.to_owned(), T::GROUP.to_owned());
            let package = Package { path, group, ..Package::default() };
            Declarations { package, ..Declarations::default() }
        });
        if declarations.package.group != T::GROUP {
            let clash = format!(
                "package {} is of group {}, kind {} of group {}",
                T::PACKAGE,
                declarations.package.group,
                T::KIND,
                T::GROUP
            );
            declarations.clashes.push(clash);
        }
        T::declare(declarations);
    }

    /// The packages, by path.
    pub fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().map(Declarations::package)
    }

    /// Lowers all kinds.
    ///
    /// # Errors
    /// What is wrong with the declarations, at the places where they are written.
    pub fn lower(&self) -> Result<Api, DeclareError> {
        let clashes: Vec<String> =
            self.packages.values().flat_map(|it| it.clashes.iter().cloned()).collect();
        if !clashes.is_empty() {
            return Err(DeclareError(clashes));
        }
        let packages: Vec<Package> = self.packages().cloned().collect();
        let (universe, places) = universe(&packages);
        let lowered = lower(&universe);
        let errors = lowered.diagnostics.iter().filter(|it| it.is_error());
        let reported: Vec<String> = errors
            .map(|it| {
                let position = it.pos.map(|pos| universe.position(pos));
                let place = position.and_then(|it| places.origin(&it).map(ToString::to_string));
                let place = place.map(|it| format!("{it}: ")).unwrap_or_default();
                let help = it.help.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
                format!("{place}{}{help}", it.message)
            })
            .collect();
        if !reported.is_empty() {
            return Err(DeclareError(reported));
        }
        let mut api = lowered.api;
        for kind in &mut api.kinds {
            rust_place(&mut kind.place, &places);
            for place in kind.versions.iter_mut().flat_map(|it| &mut it.rule_places) {
                rust_place(&mut place.place, &places);
            }
        }
        Ok(api)
    }
}

/// A place in written-out Go as the place in Rust that it stands for.
fn rust_place(place: &mut Text, places: &Places) {
    let mut parts = place.rsplitn(3, ':');
    let (column, line, path) = (parts.next(), parts.next(), parts.next());
    let number = |it: Option<&str>| it.and_then(|it| it.parse().ok());
    if let (Some(column), Some(line), Some(path)) = (number(column), number(line), path) {
        let position = Position { path: path.into(), line, column };
        if let Some(origin) = places.origin(&position) {
            *place = origin.to_string().into();
        }
    }
}

/// What is wrong with declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclareError(Vec<String>);

impl fmt::Display for DeclareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for DeclareError {}

/// A default as JSON. What cannot be written is no default; the lowering says so.
#[must_use]
pub fn json<T: Serialize + ?Sized>(value: &T) -> String {
    to_value(value).map(|it| encoding::encode_string(&it)).unwrap_or_default()
}

/// The fields of a union while it is read.
pub struct UnionFields<E> {
    map: Map,
    error: std::marker::PhantomData<fn() -> E>,
}

impl<E: serde::de::Error> UnionFields<E> {
    /// Reads the fields.
    ///
    /// # Errors
    /// When it is no object.
    pub fn read<'de, D: Deserializer<'de, Error = E>>(deserializer: D) -> Result<Self, E> {
        let fields = BTreeMap::<String, Value>::deserialize(deserializer)?;
        let map = fields.into_iter().collect();
        Ok(UnionFields { map, error: std::marker::PhantomData })
    }

    /// The discriminator's value; absent is the empty one.
    ///
    /// # Errors
    /// When it is no text.
    pub fn discriminator(&self, name: &str) -> Result<String, E> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::Str(text)) => Ok(text.to_string()),
            Some(other) => Err(E::custom(format!(
                "discriminator `{name}` is no text but {}",
                other.kind_name()
            ))),
        }
    }

    /// A member that may be absent.
    ///
    /// # Errors
    /// When it has another shape.
    pub fn optional<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, E> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(found) => {
                from_value(found).map(Some).map_err(|error| E::custom(format!("{name}: {error}")))
            }
        }
    }

    /// A member that must be there.
    ///
    /// # Errors
    /// When it is absent or has another shape.
    pub fn required<T: DeserializeOwned>(&mut self, name: &str) -> Result<T, E> {
        self.optional(name)?.ok_or_else(|| E::custom(format!("missing union member `{name}`")))
    }

    /// The refusal of a discriminator's value.
    #[must_use]
    pub fn unknown(&self, found: &str, known: &[&str]) -> E {
        E::custom(format!("unknown union member `{found}`, expected one of {}", known.join(", ")))
    }
}

macro_rules! scalars {
    ($($rust:ty => $ty:ident,)*) => {$(
        impl Schema for $rust {
            fn declare(_: &mut Declarations) -> Ty {
                Ty::$ty
            }
        }
    )*};
}

scalars! {
    String => String,
    bool => Bool,
    i32 => Int32,
    i64 => Int64,
    f32 => Float32,
    f64 => Float64,
    Value => Any,
}

/// Numbers that an API has no type of its own for: a wider one within their bounds.
macro_rules! bounded {
    ($($rust:ty => $name:literal over $ty:ident,)*) => {$(
        impl Schema for $rust {
            fn declare(declarations: &mut Declarations) -> Ty {
                if declarations.open::<Self>($name) {
                    let tags = vec![
                        format!("minimum={}", <$rust>::MIN),
                        format!("maximum={}", <$rust>::MAX),
                    ];
                    let name = $name.to_owned();
                    let alias = Alias { name, tags, ty: Ty::$ty, ..Alias::default() };
                    declarations.add(Item::Alias(alias));
                }
                Ty::Local($name.to_owned())
            }
        }
    )*};
}

bounded! {
    i8 => "Int8" over Int32,
    i16 => "Int16" over Int32,
    u8 => "Uint8" over Int32,
    u16 => "Uint16" over Int32,
    u32 => "Uint32" over Int64,
}

impl<T: Schema> Schema for Option<T> {
    fn declare(declarations: &mut Declarations) -> Ty {
        match T::declare(declarations) {
            // Lists and maps can be absent by themselves, as in Go.
            inner @ (Ty::Pointer(_) | Ty::List(_) | Ty::Map(_) | Ty::Bytes | Ty::Any) => inner,
            inner => Ty::Pointer(Box::new(inner)),
        }
    }
}

impl<T: Schema> Schema for Box<T> {
    fn declare(declarations: &mut Declarations) -> Ty {
        T::declare(declarations)
    }
}

impl<T: Schema> Schema for Vec<T> {
    fn declare(declarations: &mut Declarations) -> Ty {
        Ty::List(Box::new(T::declare(declarations)))
    }
}

impl<T: Schema> Schema for std::collections::BTreeSet<T> {
    fn declare(declarations: &mut Declarations) -> Ty {
        Ty::List(Box::new(T::declare(declarations)))
    }
}

impl<T: Schema, S: 'static> Schema for HashSet<T, S> {
    fn declare(declarations: &mut Declarations) -> Ty {
        Ty::List(Box::new(T::declare(declarations)))
    }
}

impl<T: Schema> Schema for BTreeMap<String, T> {
    fn declare(declarations: &mut Declarations) -> Ty {
        Ty::Map(Box::new(T::declare(declarations)))
    }
}

impl<T: Schema, S: 'static> Schema for HashMap<String, T, S> {
    fn declare(declarations: &mut Declarations) -> Ty {
        Ty::Map(Box::new(T::declare(declarations)))
    }
}
