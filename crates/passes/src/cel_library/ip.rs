//! IP addresses: `ip`, `isIP`, `family` and what kind of address it is.

use std::net::IpAddr;

use ordain_cel::decl::VariableDecl;
use ordain_cel::library::{Args, Function, Module};
use ordain_cel::types::Type;
use ordain_cel::value::{Error, Opaque, Result, Val};
use ordain_value::go_quote;

use super::netip;

/// The name of the type.
pub(super) const NAME: &str = "net.IP";

/// An IP address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ip(pub IpAddr);

impl Opaque for Ip {
    fn type_name(&self) -> &str {
        NAME
    }

    fn equals(&self, other: &Val<'_>) -> Result<bool> {
        other.downcast::<Ip>().map(|other| self == other).ok_or_else(Error::no_such_overload)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn size(&self) -> u64 {
        if self.0.is_ipv4() { 4 } else { 16 }
    }

    fn to_text(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// The type of addresses.
pub(super) fn ty() -> Type {
    Type::opaque(NAME, Vec::new())
}

/// The IP library.
#[must_use]
pub fn module() -> Module {
    let test = |name: &str, id: &str, call: ordain_cel::library::Call| {
        Function::new(name).member(id, [ty()], Type::Bool, call)
    };
    Module::new("kubernetes.net.ip")
        .declare(|library| library.variables.push(VariableDecl::new(NAME, Type::type_of(ty()))))
        .function(Function::new("ip").overload("string_to_ip", [Type::String], ty(), from_string))
        .function(Function::new("family").member("ip_family", [ty()], Type::Int, family))
        .function(Function::new("ip.isCanonical").overload(
            "ip_is_canonical",
            [Type::String],
            Type::Bool,
            is_canonical,
        ))
        .function(test("isUnspecified", "ip_is_unspecified", is_unspecified))
        .function(test("isLoopback", "ip_is_loopback", is_loopback))
        .function(test(
            "isLinkLocalMulticast",
            "ip_is_link_local_multicast",
            is_link_local_multicast,
        ))
        .function(test("isLinkLocalUnicast", "ip_is_link_local_unicast", is_link_local_unicast))
        .function(test("isGlobalUnicast", "ip_is_global_unicast", is_global_unicast))
        .function(Function::new("isIP").overload("is_ip", [Type::String], Type::Bool, is_ip))
        .function(Function::new("string").overload("ip_to_string", [ty()], Type::String, to_string))
}

/// Reads an address as rules may use it: no zone, no IPv4 in IPv6.
pub(super) fn parse(text: &str) -> std::result::Result<Ip, String> {
    let parsed = netip::parse_addr(text).map_err(|error| {
        format!("IP Address {} parse error during conversion from string: {error}", go_quote(text))
    })?;
    if parsed.zoned {
        return Err(format!("IP address {} with zone value is not allowed", go_quote(text)));
    }
    if is_mapped(parsed.addr) {
        return Err(format!("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
    }
    Ok(Ip(parsed.addr))
}

/// Whether this is an IPv4 address written as IPv6.
pub(super) fn is_mapped(addr: IpAddr) -> bool {
    matches!(addr, IpAddr::V6(addr) if addr.to_ipv4_mapped().is_some())
}

/// The address among the arguments.
pub(super) fn arg(args: Args<'_, '_>, index: usize) -> Result<IpAddr> {
    args.at(index).downcast::<Ip>().map(|ip| ip.0).ok_or_else(Error::no_such_overload)
}

fn from_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    parse(args.text(0)?).map(Val::opaque).map_err(Error::new)
}

fn is_ip<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(parse(args.text(0)?).is_ok()))
}

fn is_canonical<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let text = args.text(0)?;
    let ip = parse(text).map_err(Error::new)?;
    Ok(Val::Bool(ip.0.to_string() == text))
}

fn to_string<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::string(arg(args, 0)?.to_string()))
}

fn family<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Int(if arg(args, 0)?.is_ipv4() { 4 } else { 6 }))
}

fn is_unspecified<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(arg(args, 0)?.is_unspecified()))
}

fn is_loopback<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(arg(args, 0)?.is_loopback()))
}

fn is_link_local_multicast<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(match arg(args, 0)? {
        IpAddr::V4(ip) => ip.octets()[..3] == [224, 0, 0],
        IpAddr::V6(ip) => ip.segments()[0] & 0xff0f == 0xff02,
    }))
}

fn link_local_unicast(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.segments()[0] & 0xffc0 == 0xfe80,
    }
}

fn is_link_local_unicast<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    Ok(Val::Bool(link_local_unicast(arg(args, 0)?)))
}

fn is_global_unicast<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    let ip = arg(args, 0)?;
    let broadcast = matches!(ip, IpAddr::V4(ip) if ip.is_broadcast());
    let local =
        ip.is_unspecified() || ip.is_loopback() || ip.is_multicast() || link_local_unicast(ip);
    Ok(Val::Bool(!broadcast && !local))
}
