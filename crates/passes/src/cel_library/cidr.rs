//! Networks: `cidr`, `isCIDR`, `containsIP`, `containsCIDR` and their parts.

use ordain_cel::decl::VariableDecl;
use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_value::go_quote;

use super::ip::{self, Ip};
use super::netip::{self, Prefix};

/// The name of the type.
pub(super) const NAME: &str = "net.CIDR";

/// A network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cidr(pub(super) Prefix);

impl Cidr {
    fn text(&self) -> String {
        format!("{}/{}", self.0.addr, self.0.bits)
    }
}

impl Opaque for Cidr {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        other.downcast::<Cidr>().map(|other| self == other).ok_or_else(Error::no_such_overload)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn size(&self) -> u64 {
        u64::from(self.0.bits).div_ceil(8)
    }

    fn to_text(&self) -> Option<String> {
        Some(self.text())
    }
}

/// The type of networks.
pub(super) fn ty() -> Type {
    Type::opaque(NAME, Vec::new())
}

/// The CIDR library.
#[must_use]
pub(crate) fn module() -> Module {
    let (string, truth) = (|| Type::String, || Type::Bool);
    Module::new("kubernetes.net.cidr")
        .declare(|library| library.variables.push(VariableDecl::new(NAME, Type::type_of(ty()))))
        .function(Function::new("cidr").overload("string_to_cidr", [string()], ty(), from_string))
        .function(
            Function::new("containsIP")
                .member("cidr_contains_ip_string", [ty(), string()], truth(), contains_ip)
                .member("cidr_contains_ip_ip", [ty(), ip::ty()], truth(), contains_ip),
        )
        .function(
            Function::new("containsCIDR")
                .member("cidr_contains_cidr_string", [ty(), string()], truth(), contains_cidr)
                .member("cidr_contains_cidr", [ty(), ty()], truth(), contains_cidr),
        )
        .function(Function::new("ip").member("cidr_ip", [ty()], ip::ty(), to_ip))
        .function(Function::new("prefixLength").member(
            "cidr_prefix_length",
            [ty()],
            Type::Int,
            prefix_length,
        ))
        .function(Function::new("masked").member("cidr_masked", [ty()], ty(), masked))
        .function(Function::new("isCIDR").overload("is_cidr", [string()], truth(), is_cidr))
        .function(Function::new("string").overload("cidr_to_string", [ty()], string(), to_string))
}

const PARSE_ERROR: &str = "network address parse error during conversion from string";

fn parse(text: &str) -> std::result::Result<Cidr, String> {
    let prefix = netip::parse_prefix(text).map_err(|error| format!("{PARSE_ERROR}: {error}"))?;
    if ip::is_mapped(prefix.addr) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
    }
    Ok(Cidr(prefix))
}

/// The network at an index, read from text if need be.
pub(super) fn arg(args: Args<'_, '_>, index: usize) -> Result<Prefix> {
    match args.at(index) {
        // The error is wrapped twice, as upstream does.
        Val::Str(text) => {
            let parsed = parse(text.as_str());
            parsed.map(|it| it.0).map_err(|error| Error::new(format!("{PARSE_ERROR}: {error}")))
        }
        other => other.downcast::<Cidr>().map(|it| it.0).ok_or_else(Error::no_such_overload),
    }
}

fn from_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    arg(args, 0).map(|prefix| Val::opaque(Cidr(prefix)))
}

fn is_cidr<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(parse(args.text(0)?).is_ok()))
}

fn to_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(Cidr(arg(args, 0)?).text()))
}

pub(super) fn contains_ip<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let prefix = arg(args, 0)?;
    let addr = match args.at(1) {
        Val::Str(text) => ip::parse(text.as_str()).map_err(Error::new)?.0,
        _ => ip::arg(args, 1)?,
    };
    Ok(Val::Bool(prefix.contains(addr)))
}

fn contains_cidr<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let (prefix, other) = (arg(args, 0)?, arg(args, 1)?);
    Ok(Val::Bool(prefix.overlaps(&other) && prefix.bits <= other.bits))
}

fn to_ip<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::opaque(Ip(arg(args, 0)?.addr)))
}

fn prefix_length<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(i64::from(arg(args, 0)?.bits)))
}

fn masked<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::opaque(Cidr(arg(args, 0)?.masked())))
}
