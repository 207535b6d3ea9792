//! What came of judging: findings, counts, and what was left out.

use std::collections::HashSet;

use crate::finding::{Finding, Severity};
use crate::foreign::{Foreign, Other};
use crate::policy::Annotation;
use crate::source::{Input, Unreadable};

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// In the order of sources and places.
    pub findings: Vec<Finding>,
    /// Objects that were judged.
    pub judged: usize,
    /// Objects judged as a change.
    pub updates: usize,
    /// Objects that were left out as asked.
    pub skipped: usize,
    /// Objects without a schema.
    pub missing: usize,
    /// Patches of Kustomize that were checked, by document.
    pub patches: usize,
    /// Objects that SOPS has encrypted, which were left out.
    pub encrypted: usize,
    /// Files and documents in folders that are no manifests.
    pub others: Vec<Other>,
    /// What policies put into the audit log.
    pub annotations: Vec<Annotation>,
    /// What else the reader should know.
    pub notes: Vec<String>,
    pub files: usize,
    /// Names of the sources, in order; empty until they are asked for.
    pub sources: Vec<String>,
    /// Whose findings these are.
    pub tool: Tool,
}

/// Who finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    #[default]
    Validate,
    Lint,
    Test,
    Diff,
}

impl Tool {
    /// The command that finds.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tool::Validate => "validate",
            Tool::Lint => "lint",
            Tool::Test => "test",
            Tool::Diff => "diff",
        }
    }

    /// The ids of all findings there may be, with a line on each.
    #[must_use]
    pub fn rules(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Tool::Validate => crate::finding::RULES.to_vec(),
            Tool::Lint => crate::lint::RULES.iter().map(|it| (it.id, it.about)).collect(),
            Tool::Diff => vec![
                ("breaking", "Stored objects are refused, lose fields or mean something else."),
                ("ratcheted", "New objects are refused; stored ones may stay."),
            ],
            Tool::Test => vec![
                ("case-failed", "A case of a table does not hold."),
                ("uncovered", "No case saw a constraint pass, or saw it fail."),
            ],
        }
    }
}

impl Outcome {
    #[must_use]
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    #[must_use]
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    /// Names all texts that were read, for reports that list them.
    pub fn name_sources(&mut self, inputs: &[Input], failed: &[Unreadable]) {
        let lost: HashSet<&str> = failed.iter().map(|it| it.path.as_str()).collect();
        let others = self.others.iter().filter(|it| it.line.is_none());
        let others: HashSet<&str> = others.map(|it| it.file.as_str()).collect();
        let names = inputs.iter().map(Input::name);
        let judged = |it: &String| !lost.contains(it.as_str()) && !others.contains(it.as_str());
        self.sources = names.filter(judged).collect();
    }

    /// What comes of a file that is no manifest.
    pub(crate) fn of_other(file: String, what: Foreign) -> Outcome {
        Outcome { others: vec![Other { file, line: None, what }], ..Outcome::default() }
    }

    /// Whether there was nothing at all to judge.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let met = self.judged + self.skipped + self.missing + self.patches + self.encrypted;
        met == 0 && self.findings.is_empty()
    }

    /// Adds what came of a part.
    pub(crate) fn add(&mut self, mut part: Outcome) {
        self.findings.append(&mut part.findings);
        self.judged += part.judged;
        self.updates += part.updates;
        self.skipped += part.skipped;
        self.missing += part.missing;
        self.patches += part.patches;
        self.encrypted += part.encrypted;
        self.others.append(&mut part.others);
        self.annotations.append(&mut part.annotations);
        self.notes.append(&mut part.notes);
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|it| it.severity == severity).count()
    }
}
