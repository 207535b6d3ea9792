//! Which libraries rules see in which version of Kubernetes.
//!
//! A rule that is new must be understood by every server that may have to read it, so it is
//! compiled with what the compatibility version has. A rule that is stored was accepted by some
//! server, perhaps a newer one, so it is compiled with everything there is.

use std::sync::OnceLock;

use ordain_cel::library::{self, Module};
use ordain_meta::KubeVersion;

use super::{
    Environment, authz, cidr, declared, format, ip, json_patch, lists, quantity, regex, semver,
    url, written,
};

/// What one version brings.
struct Step {
    since: KubeVersion,
    /// The version that has something else in its place.
    until: Option<KubeVersion>,
    modules: fn() -> Vec<Module>,
}

const fn since(minor: u16, modules: fn() -> Vec<Module>) -> Step {
    Step { since: KubeVersion::new(1, minor), until: None, modules }
}

/// In the order in which an API server puts them together.
const STEPS: &[Step] = &[
    since(0, || vec![library::standard::module(), url::module(), regex::module(), lists::module()]),
    since(27, || vec![authz::module()]),
    since(28, || vec![library::optionals::module(2), quantity::module()]),
    Step {
        since: KubeVersion::new(1, 0),
        until: Some(KubeVersion::new(1, 29)),
        modules: || vec![library::strings::module(0)],
    },
    since(29, || vec![library::strings::module(2), library::sets::module()]),
    since(30, || vec![ip::module(), cidr::module()]),
    since(31, || vec![format::module()]),
    since(32, || vec![library::comprehensions::module()]),
    since(33, || vec![semver::module()]),
    since(34, || vec![library::lists::module(3)]),
];

/// The first version that can compare numbers of different types.
pub(super) const CROSS_TYPE_COMPARISONS: KubeVersion = KubeVersion::new(1, 28);
/// The first version that looks into literals of durations, timestamps and patterns.
pub(super) const LITERAL_CHECKS: KubeVersion = KubeVersion::new(1, 29);

/// The versions at which something changed, ascending.
const CHANGES: [u16; 9] = [0, 27, 28, 29, 30, 31, 32, 33, 34];

fn modules(version: KubeVersion) -> Vec<Module> {
    let holds =
        |step: &&Step| step.since <= version && step.until.is_none_or(|until| version < until);
    STEPS.iter().filter(holds).flat_map(|step| (step.modules)()).collect()
}

impl Environment {
    /// What new rules of CRDs see at a compatibility version.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn crd_at(version: KubeVersion) -> &'static Self {
        static BY_CHANGE: [OnceLock<Environment>; CHANGES.len()] =
            [const { OnceLock::new() }; CHANGES.len()];
        let changes = CHANGES.map(|minor| KubeVersion::new(1, minor));
        let at = changes.iter().rposition(|change| *change <= version).unwrap_or_default();
        BY_CHANGE[at].get_or_init(|| {
            Self::new(&modules(changes[at]), changes[at]).expect("INVARIANT: the libraries agree")
        })
    }

    /// What new rules of CRDs see unless another compatibility version is asked for.
    #[must_use]
    pub fn crd() -> &'static Self {
        Self::crd_at(KubeVersion::CURRENT)
    }

    /// What stored rules of CRDs see: all that any version has and none took away, what gates keep
    /// from new rules among it. A rule that was accepted while a gate was on goes on to hold when
    /// the gate goes off.
    #[must_use]
    pub fn stored() -> &'static Self {
        Self::declared()
    }

    /// What expressions that make patches see: all that stored ones do, and how to write paths.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn patching() -> &'static Self {
        static PATCHING: OnceLock<Environment> = OnceLock::new();
        PATCHING.get_or_init(|| {
            let mut modules = modules(KubeVersion::CURRENT);
            modules.push(json_patch::module());
            Self::new(&modules, KubeVersion::CURRENT).expect("INVARIANT: the libraries agree")
        })
    }

    /// What rules of declared kinds see, and new rules of CRDs behind their gate.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn declared() -> &'static Self {
        static DECLARED: OnceLock<Environment> = OnceLock::new();
        DECLARED.get_or_init(|| {
            let mut modules = modules(KubeVersion::CURRENT);
            modules.push(declared::module());
            Self::new(&modules, KubeVersion::CURRENT).expect("INVARIANT: the libraries agree")
        })
    }

    /// What `+rule:` tags of Kubernetes' own kinds see: what declared kinds see, and sets of texts.
    ///
    /// # Panics
    /// Never: the libraries are declared without contradiction, which a test checks.
    #[must_use]
    pub fn written() -> &'static Self {
        static WRITTEN: OnceLock<Environment> = OnceLock::new();
        WRITTEN.get_or_init(|| {
            let mut modules = modules(KubeVersion::CURRENT);
            modules.extend([declared::module(), written::module()]);
            Self::new(&modules, KubeVersion::CURRENT).expect("INVARIANT: the libraries agree")
        })
    }

    /// Whether this is the environment of declared kinds.
    #[must_use]
    pub fn is_declared(&self) -> bool {
        std::ptr::eq(self, Self::declared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiles(environment: &Environment, text: &str) -> bool {
        environment.env.compile(text).is_ok()
    }

    #[test]
    fn each_version_has_the_libraries_that_it_introduced() {
        for (minor, text) in [
            (0, "[1, 2].sum() == 3 && url('https://a').getHost() == 'a'"),
            (0, "'a1'.find('[0-9]') == '1' && 'ab'.charAt(0) == 'a'"),
            (28, "quantity('1Gi').isInteger()"),
            (28, "optional.of(1).orValue(2) == 1"),
            (28, "1 < 1.5"),
            (29, "sets.contains([1, 2], [1])"),
            (29, "'%d'.format([1]) == '1'"),
            (30, "ip('1.2.3.4').family() == 4 && isCIDR('10.0.0.0/8')"),
            (31, "format.dns1123Label().validate('a').hasValue()"),
            (32, "[1, 2].all(i, v, i < v)"),
            (33, "semver('1.2.3', true).major() == 1"),
            (34, "lists.range(3).size() == 3 && [3, 1].sort() == [1, 3]"),
        ] {
            for other in [0, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 40] {
                let environment = Environment::crd_at(KubeVersion::new(1, other));
                assert_eq!(compiles(environment, text), other >= minor, "{text} in 1.{other}");
            }
            assert!(compiles(Environment::stored(), text), "{text} in stored rules");
            assert!(compiles(Environment::declared(), text), "{text} in declared kinds");
        }
    }

    #[test]
    fn literals_are_looked_into_since_1_29() {
        let text = "duration('nonsense') == duration('1s')";
        assert!(compiles(Environment::crd_at(KubeVersion::new(1, 28)), text));
        assert!(!compiles(Environment::crd_at(KubeVersion::new(1, 29)), text));
    }

    #[test]
    fn new_rules_of_definitions_see_the_functions_of_declared_kinds_only_behind_a_gate() {
        let text = "self.isFormat('dns1123Label')";
        let with_self = |environment: &Environment| {
            let env = environment.env.with_variable("self", ordain_cel::types::Type::String);
            env.compile(text).is_ok()
        };
        assert!(with_self(Environment::declared()));
        assert!(with_self(Environment::stored()));
        assert!(!with_self(Environment::crd()));
    }
}
