//! What calls of Kubernetes' libraries cost: when they ran, and estimated before.

use ordain_cel::ast::{Const, Expr, Text};
use ordain_cel::cost::{
    CallEstimate, Cost, Estimator, Node, REGEX_LENGTH_FACTOR, STRING_TRAVERSAL_FACTOR, Size,
};
use ordain_cel::library::{CostFn, RuntimeCost, estimate};
use ordain_cel::types::Type;
use ordain_cel::value::Val;

use super::format::Format;
use super::{cidr, format, ip, quantity, semver, url};

/// Costs of calls that ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct LibraryCost;

fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

fn size(args: &[Val<'_>], index: usize) -> u64 {
    args.get(index).map_or(1, Val::size)
}

/// Optionals have no size of their own here.
fn own_size(value: Option<&Val<'_>>) -> u64 {
    match value {
        Some(Val::Optional(_)) | None => 1,
        Some(value) => value.size(),
    }
}

fn traverse(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(tenth(own_size(args.first())))
}

fn traverse_twice(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(tenth(own_size(args.first()).saturating_mul(2)))
}

fn search(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(tenth(1 + size(args, 0)).saturating_mul(size(args, 1).div_ceil(4)))
}

fn unit(_: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(1)
}

/// No more than two authorization checks fit into what one expression may cost.
const AUTHORIZATION: u64 = 350_000;

fn authorization(_: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(AUTHORIZATION)
}

/// A selector is read into a list of requirements; one that takes two characters is a structure
/// with a list of values.
fn selector(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    const LIST: u64 = 10;
    const STRUCT: u64 = 40;
    let length = size(args, 1);
    let requirements = length.div_ceil(2).saturating_mul(LIST + STRUCT);
    Some(requirements.saturating_add(LIST + tenth(length)))
}

fn walk(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(args.first().map_or(0, |value| traversal(value, 0)))
}

/// The cost of going through a value.
fn traversal(value: &Val<'_>, depth: u32) -> u64 {
    match value {
        Val::Str(text) => text.as_str().len() as u64 / 10,
        Val::Bytes(bytes) => bytes.as_slice().len() as u64 / 10,
        _ if depth > 200 => 1,
        Val::List(list) => {
            list.iter().map(|item| item.map_or(1, |item| traversal(&item, depth + 1))).sum()
        }
        Val::Map(map) => map
            .keys()
            .iter()
            .map(|key| {
                let value = map.find(key).ok().flatten();
                traversal(key, depth + 1) + value.map_or(1, |value| traversal(&value, depth + 1))
            })
            .sum(),
        _ => 1,
    }
}

fn contains_ip_text(args: &[Val<'_>], result: Option<&Val<'_>>) -> Option<u64> {
    Some(contains_ip(args, result)? + tenth(size(args, 1)))
}

fn contains_ip(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    Some(tenth(size(args, 0).saturating_mul(2)))
}

fn contains_cidr_text(args: &[Val<'_>], result: Option<&Val<'_>>) -> Option<u64> {
    Some(contains_cidr(args, result)? + tenth(size(args, 1)))
}

fn contains_cidr(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    let cidr = size(args, 0);
    Some(tenth(cidr.saturating_mul(2)) + tenth(cidr) + 1)
}

fn validate(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    let format = args.first()?.downcast::<Format>()?;
    Some(tenth(1 + size(args, 1)).saturating_mul(format.pattern_size.div_ceil(4)))
}

fn join(_: &[Val<'_>], result: Option<&Val<'_>>) -> Option<u64> {
    Some(tenth(own_size(result).saturating_mul(2)))
}

/// Values of these libraries are equal or not in one step.
fn equals(args: &[Val<'_>], _: Option<&Val<'_>>) -> Option<u64> {
    matches!(args.first(), Some(Val::Opaque(_))).then_some(1)
}

impl RuntimeCost for LibraryCost {
    fn tracker(&self, function: &str, overload: &str) -> Option<CostFn> {
        Some(match function {
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => walk,
            "check" => authorization,
            "fieldSelector" | "labelSelector" => selector,
            "url"
            | "lowerAscii"
            | "upperAscii"
            | "substring"
            | "trim"
            | "jsonpatch.escapeKey"
            | "cidr"
            | "isIP"
            | "isCIDR"
            | "quantity"
            | "isQuantity"
            | "semver"
            | "isSemver" => traverse,
            "replace" | "split" | "ip.isCanonical" => traverse_twice,
            "join" => join,
            "find" | "findAll" => search,
            "ip" if overload == "cidr_ip" => unit,
            "ip" => traverse,
            "containsIP" if overload == "cidr_contains_ip_string" => contains_ip_text,
            "containsIP" => contains_ip,
            "containsCIDR" if overload == "cidr_contains_cidr_string" => contains_cidr_text,
            "containsCIDR" => contains_cidr,
            "validate" => validate,
            "_==_" => equals,
            _ if is_unit(function) => unit,
            "isFormat" | "validateFormat" | "matchesLabels" => search,
            "utf8.isValid" | "utf8.isPrint" | "utf8.isControl" => traverse,
            _ => return None,
        })
    }

    fn skips_scalars(&self, function: &str) -> bool {
        function == "_==_"
    }
}

/// Functions that cost one.
fn is_unit(function: &str) -> bool {
    matches!(
        function,
        "serviceAccount"
            | "path"
            | "group"
            | "resource"
            | "subresource"
            | "namespace"
            | "name"
            | "allowed"
            | "reason"
            | "error"
            | "errored"
            | "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery"
            | "is4"
            | "is6"
            | "overlaps"
    )
}

/// Knows how large parts of the input can be.
pub trait Sizes {
    /// The size of what stands at the end of a path such as `["self", "list", "@items"]`.
    fn size(&self, path: &[Text], ty: &Type) -> Option<Size>;
}

/// Estimates calls of the libraries and sizes of the input.
pub struct LibraryEstimator<'a> {
    /// Who knows the sizes of the input.
    pub sizes: &'a dyn Sizes,
}

fn cost(cost: Cost) -> Option<CallEstimate> {
    Some(CallEstimate { cost, result_size: None })
}

fn sized(cost: Cost, size: Size) -> Option<CallEstimate> {
    Some(CallEstimate { cost, result_size: Some(size) })
}

/// The size of the pattern that `validate` is estimated with.
const FORMAT_PATTERN_MAX: f64 = 128.0;
/// The longest name of a format, for comparisons.
const FORMAT_SIZE_MAX: u64 = 64;

impl LibraryEstimator<'_> {
    fn size_of(&self, node: &Node<'_>) -> Size {
        node.computed_size().or_else(|| self.estimate_size(node)).unwrap_or(Size::UNKNOWN)
    }

    /// Type and size of a list's items.
    fn item(&self, list: &Node<'_>) -> Option<(Type, Size)> {
        let ty = list.ty().params().next()?.clone();
        let mut path = list.path();
        let size = if path.is_empty() {
            self.sizes.size(&[], &ty)
        } else {
            path.push(Text::from("@items"));
            self.sizes.size(&path, &ty)
        };
        Some((ty, size.unwrap_or(Size::UNKNOWN)))
    }

    fn walk(&self, target: &Node<'_>) -> Option<CallEstimate> {
        let size = self.size_of(target);
        let Some((ty, item)) = self.item(target) else {
            return cost(size.times_factor(STRING_TRAVERSAL_FACTOR));
        };
        let mut per_item = Cost::exactly(1);
        if matches!(ty, Type::String | Type::Bytes) {
            per_item = per_item.add(item.times_factor(STRING_TRAVERSAL_FACTOR));
        }
        cost(size.times_cost(per_item))
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "estimates are defined by this arithmetic"
    )]
    fn replace(&self, target: &Node<'_>, old: &Node<'_>, new: &Node<'_>) -> Option<CallEstimate> {
        let (size, old, new) = (self.size_of(target), self.size_of(old), self.size_of(new));
        let (mut count, mut kept) = (Size::default(), Size::default());
        let ceil = |a: u64, b: u64| (a as f64 / b as f64).ceil() as u64;
        if old.min == 0 {
            count.max = size.max.saturating_add(1);
            kept.max = size.max;
        } else if new.max <= old.min {
            kept.max = size.max;
        } else {
            count.max = ceil(size.max, old.min);
        }
        if old.max == 0 {
            count.min = size.min.saturating_add(1);
            kept.min = size.min;
        } else if old.max <= new.min {
            kept.min = size.min;
        } else {
            count.min = ceil(size.min, old.max);
        }
        let result = count.multiply(new).add(kept);
        sized(size.times_factor(2.0 * STRING_TRAVERSAL_FACTOR), result)
    }

    fn split(&self, target: &Node<'_>, args: &[Node<'_>]) -> Option<CallEstimate> {
        let size = self.size_of(target);
        let max = match args.get(1).map(Node::expr) {
            Some(Expr::Const(Const::Int(limit))) => limit.cast_unsigned(),
            _ => size.max,
        };
        sized(size.times_factor(2.0 * STRING_TRAVERSAL_FACTOR), Size { min: 0, max })
    }

    fn join(&self, target: &Node<'_>, args: &[Node<'_>]) -> Option<CallEstimate> {
        let list = self.size_of(target);
        let mut size = self.item(target).map_or(Size::default(), |(_, item)| list.multiply(item));
        if let Some(separator) = args.first() {
            let between = Size { min: list.min.saturating_sub(1), max: list.max.saturating_sub(1) };
            size = size.add(self.size_of(separator).multiply(between));
        }
        sized(size.times_factor(STRING_TRAVERSAL_FACTOR), size)
    }

    fn contains(&self, other: &Node<'_>, network: bool, text: bool) -> Option<CallEstimate> {
        let address = Size { min: 4, max: 16 };
        let mut total = address.add(address).times_factor(STRING_TRAVERSAL_FACTOR);
        if network {
            total = total.add(address.times_factor(STRING_TRAVERSAL_FACTOR)).add(Cost::exactly(1));
        }
        if text {
            total = total.add(self.size_of(other).times_factor(STRING_TRAVERSAL_FACTOR));
        }
        cost(total)
    }

    fn equals(&self, left: &Node<'_>, right: &Node<'_>) -> Option<CallEstimate> {
        if left.ty() != right.ty() {
            return None;
        }
        let name = left.ty().runtime_name();
        match left.ty() {
            Type::Opaque(_) if name == ip::NAME || name == cidr::NAME => cost(Cost::exactly(1)),
            Type::Object(_) if name == quantity::NAME || name == semver::NAME => {
                cost(Cost::exactly(1))
            }
            Type::Object(_) if name == format::NAME => {
                cost(Cost { min: 1, max: FORMAT_SIZE_MAX }.times_factor(STRING_TRAVERSAL_FACTOR))
            }
            Type::Object(_) if name == url::NAME => {
                let max = right.computed_size().map_or(1, |size| size.max);
                cost(Cost { min: 1, max }.times_factor(STRING_TRAVERSAL_FACTOR))
            }
            _ => None,
        }
    }

    fn call(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Node<'_>>,
        args: &[Node<'_>],
    ) -> Option<CallEstimate> {
        let traverse = |node: &Node<'_>| self.size_of(node).times_factor(STRING_TRAVERSAL_FACTOR);
        match (function, target, args) {
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", Some(target), _) => {
                self.walk(target)
            }
            ("url", _, [one]) => sized(traverse(one), self.size_of(one)),
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(target), _) => {
                sized(traverse(target), self.size_of(target))
            }
            ("replace", Some(target), [old, new, ..]) => self.replace(target, old, new),
            ("split", Some(target), _) => self.split(target, args),
            ("join", Some(target), _) => self.join(target, args),
            ("find" | "findAll", Some(target), [pattern, ..]) => {
                let size = self.size_of(target);
                let text = size.add(Size::exactly(1)).times_factor(STRING_TRAVERSAL_FACTOR);
                let pattern = self.size_of(pattern).times_factor(REGEX_LENGTH_FACTOR);
                sized(text.multiply(pattern), Size { min: 0, max: size.max })
            }
            ("ip", ..) if overload == "cidr_ip" => cost(Cost::exactly(1)),
            (
                "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver"
                | "isSemver",
                _,
                [one, ..],
            ) => cost(traverse(one)),
            ("ip.isCanonical", _, [one, ..]) => {
                cost(self.size_of(one).times_factor(2.0 * STRING_TRAVERSAL_FACTOR))
            }
            ("containsIP", _, [other, ..]) => {
                self.contains(other, false, overload == "cidr_contains_ip_string")
            }
            ("containsCIDR", _, [other, ..]) => {
                self.contains(other, true, overload == "cidr_contains_cidr_string")
            }
            ("validate", _, [text, ..]) => {
                cost(traverse(text).times_factor(FORMAT_PATTERN_MAX * REGEX_LENGTH_FACTOR))
            }
            ("isFormat" | "validateFormat", Some(target), _) => {
                cost(traverse(target).times_factor(FORMAT_PATTERN_MAX * REGEX_LENGTH_FACTOR))
            }
            ("_==_", _, [left, right]) => self.equals(left, right),
            _ if is_unit(function) => cost(Cost::exactly(1)),
            _ => None,
        }
    }
}

impl Estimator for LibraryEstimator<'_> {
    fn estimate_size(&self, node: &Node<'_>) -> Option<Size> {
        self.sizes.size(&node.path(), node.ty())
    }

    fn estimate_call(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Node<'_>>,
        args: &[Node<'_>],
    ) -> Option<CallEstimate> {
        estimate::extension(overload, target, args, &|node| self.size_of(node))
            .or_else(|| self.call(function, overload, target, args))
    }
}
