//! Files of volumes that stand in each other's way.

use ordain_strategy::Warnings;
use ordain_value::{Value, go_quote};

use crate::shared::access::{items, part, some, text};

/// A path in a volume, and what writes it (empty where that is clear).
#[derive(Clone, PartialEq)]
struct Place {
    path: String,
    source: String,
}

impl Place {
    fn shown(&self) -> String {
        match self.source.as_str() {
            "" => go_quote(&self.path),
            source => format!("{} ({source})", go_quote(&self.path)),
        }
    }
}

/// Advice on volumes whose items overlap.
pub(super) fn warn(spec: &Value, warnings: &mut Warnings) {
    // Only volumes with files of their own choice have anything to overlap.
    let chooses = |volume: &Value| {
        let has_items = |it: &Value| !items(it, "items").is_empty();
        volume.as_map().is_some_and(|fields| {
            fields.iter().any(|(name, source)| match name.as_str() {
                "configMap" | "secret" | "downwardAPI" => has_items(source),
                "projected" => true,
                _ => false,
            })
        })
    };
    for volume in items(spec, "volumes").iter().filter(|it| chooses(it)) {
        let name = go_quote(text(volume, "name"));
        let mut tell = |what: &str, overlaps: Vec<String>| {
            for overlap in overlaps {
                warnings.add(format!("volume {name} ({what}): overlapping paths: {overlap}"));
            }
        };
        if let Some(source) = some(volume, "configMap") {
            let what = format!("ConfigMap {}", go_quote(text(source, "name")));
            tell(&what, overlaps(places(source, "")));
        }
        if let Some(source) = some(volume, "secret") {
            let what = format!("Secret {}", go_quote(text(source, "secretName")));
            tell(&what, overlaps(places(source, "")));
        }
        if let Some(source) = some(volume, "downwardAPI") {
            tell("DownwardAPI", overlaps(places(source, "")));
        }
        let mut all = Vec::new();
        for source in items(part(volume, "projected"), "sources") {
            if source.as_map().is_none_or(ordain_value::Map::is_empty) {
                warnings.add(format!("volume {name} (Projected) has no sources provided"));
                continue;
            }
            all.extend(projected(source));
        }
        let overlaps = overlaps(all);
        for overlap in overlaps {
            warnings.add(format!("volume {name} (Projected): overlapping paths: {overlap}"));
        }
    }
}

fn places(source: &Value, what: &str) -> Vec<Place> {
    let place = |it: &Value| Place { path: text(it, "path").to_owned(), source: what.to_owned() };
    items(source, "items").iter().map(place).collect()
}

/// The files of the first source that is given, in the order in which they are looked at.
fn projected(source: &Value) -> Vec<Place> {
    for (field, what) in [("configMap", "ConfigMap"), ("secret", "Secret")] {
        if let Some(source) = some(source, field).filter(|it| !items(it, "items").is_empty()) {
            return places(source, &format!("{what} {}", go_quote(text(source, "name"))));
        }
    }
    if let Some(source) = some(source, "downwardAPI").filter(|it| !items(it, "items").is_empty()) {
        return places(source, "DownwardAPI");
    }
    let token = some(source, "serviceAccountToken");
    let place = |token: &Value| Place {
        path: text(token, "path").to_owned(),
        source: "ServiceAccountToken".to_owned(),
    };
    token.map(place).into_iter().collect()
}

/// Every place with each earlier one that it is in, or that is in it.
fn overlaps(places: Vec<Place>) -> Vec<String> {
    let mut found = Vec::new();
    let mut before: Vec<Place> = Vec::new();
    for mut place in places {
        place.path = place.path.trim_end_matches('/').to_owned();
        let inside = |a: &str, b: &str| format!("{a}/").starts_with(&format!("{b}/"));
        for other in before.iter().filter(|it| !it.path.is_empty() && !place.path.is_empty()) {
            let clash = inside(&other.path, &place.path) || inside(&place.path, &other.path);
            if clash {
                found.push(format!("{} with {}", place.shown(), other.shown()));
            }
        }
        before.push(place);
    }
    found
}
