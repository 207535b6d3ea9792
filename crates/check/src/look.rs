//! The first look at all inputs: it finds the definitions among them, which have to be known before
//! anything is reported for certain, and is done with most of the others.

use std::borrow::Cow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use memchr::memmem::Finder;
use rayon::prelude::*;

use ordain_value::Value;

use crate::catalog::Catalog;
use crate::manifest::{self, Manifest};
use crate::outcome::Outcome;
use crate::policy::MARK;
use crate::silent::{Glance, Silent};
use crate::source::{Input, Source, Text};
use crate::validate::Check;

/// What a first look at an input gives, by the kinds that are known at first.
pub(crate) enum Looked<'a> {
    /// So many objects without findings.
    Silent(usize),
    /// What is to be reported, if nothing is defined by other inputs.
    Reported(Box<Outcome>),
    /// Nothing certain.
    Open {
        /// The text, unless others have filled the space for texts.
        kept: Option<Cow<'a, Source>>,
        definitions: Vec<Value>,
        /// Whether there are policies in it, by which all inputs are judged.
        has_policies: bool,
    },
}

impl Looked<'_> {
    pub(crate) fn definitions(&self) -> &[Value] {
        match self {
            Looked::Open { definitions, .. } => definitions,
            Looked::Silent(_) | Looked::Reported(_) => &[],
        }
    }
}

impl Looked<'_> {
    pub(crate) fn has_policies(&self) -> bool {
        matches!(self, Looked::Open { has_policies: true, .. })
    }
}

/// Texts are read again when more than this has been read before they are judged.
const KEPT_MAX: usize = 32 * 1024 * 1024;

/// Texts of at least this many bytes are searched for definitions before they are read.
const SEARCHED_FROM: usize = 16 * 1024;

/// Inputs that a worker takes at a time: few enough that none is left with much when others are done.
const TAKEN_MAX: usize = 32;

/// What every text with a definition has in it.
const DEFINITION: &str = "CustomResourceDefinition";

/// Looks at all inputs.
pub(crate) fn look<'a>(inputs: &'a [Input], check: &Check<'_>) -> Vec<Looked<'a>> {
    let start = || Mutex::new(Worker::new(check.catalog));
    let workers: Vec<_> = (0..rayon::current_num_threads()).map(|_| start()).collect();
    let looks = Looks {
        check,
        judges: check.options.is_plain() && check.catalog.has_places(),
        finder: Finder::new(DEFINITION),
        policies: Finder::new(MARK),
        kept: AtomicUsize::new(0),
    };
    let one = |input: &'a Input| {
        let at = rayon::current_thread_index().unwrap_or(0);
        // A worker that waits for parts of one text may be given another meanwhile.
        match workers.get(at).and_then(|it| it.try_lock().ok()) {
            Some(mut worker) => looks.look(input, &mut worker),
            None => looks.look(input, &mut Worker::new(check.catalog)),
        }
    };
    inputs.par_iter().with_max_len(TAKEN_MAX).map(one).collect()
}

/// What a worker has from one input to the next.
struct Worker<'c> {
    buffer: Vec<u8>,
    silent: Silent<'c>,
}

impl<'c> Worker<'c> {
    fn new(catalog: &'c Catalog) -> Self {
        Worker { buffer: Vec::new(), silent: Silent::new(catalog) }
    }
}

struct Looks<'l> {
    check: &'l Check<'l>,
    /// Whether verdicts by the kinds that are known at first are worth anything.
    judges: bool,
    finder: Finder<'static>,
    policies: Finder<'static>,
    /// Bytes of all texts that are kept.
    kept: AtomicUsize,
}

impl Looks<'_> {
    fn look<'a>(&self, input: &'a Input, worker: &mut Worker<'_>) -> Looked<'a> {
        if !input.role.is_judged() {
            return Looked::Open { kept: None, definitions: Vec::new(), has_policies: false };
        }
        let Ok(text) = input.bytes(&mut worker.buffer) else {
            // What cannot be read is reported when its turn comes.
            return Looked::Open { kept: None, definitions: Vec::new(), has_policies: false };
        };
        // A small text is read as quickly as it is searched.
        let is_small = self.judges && text.bytes.len() < SEARCHED_FROM;
        let mut defines = !is_small && self.defines(text);
        if self.judges && !defines {
            let glance = worker.silent.objects(text);
            if let Glance::Silent(judged) = glance {
                return Looked::Silent(judged);
            }
            defines = is_small && self.defines(text);
            if let (false, Glance::Reported(verdict)) = (defines, glance) {
                let reported = self.check.reported(&input.source(text), &input.role, verdict);
                return Looked::Reported(Box::new(reported));
            }
        }
        let fits = self.kept.fetch_add(text.bytes.len(), Ordering::Relaxed) < KEPT_MAX;
        let definitions = if defines { definitions_of(text) } else { Vec::new() };
        let has_policies = self.policies.find(text.bytes).is_some();
        Looked::Open { kept: fits.then(|| input.source(text)), definitions, has_policies }
    }

    /// Whether a text may say how others are judged.
    fn defines(&self, text: Text<'_>) -> bool {
        self.finder.find(text.bytes).is_some() || self.policies.find(text.bytes).is_some()
    }
}

/// The definitions of a text, if it has any.
pub(crate) fn definitions_in(text: Text<'_>) -> Vec<Value> {
    match memchr::memmem::find(text.bytes, DEFINITION.as_bytes()) {
        Some(_) => definitions_of(text),
        None => Vec::new(),
    }
}

fn definitions_of(text: Text<'_>) -> Vec<Value> {
    let manifests = manifest::read_as(0, text, false).manifests.into_iter();
    manifests.filter(Manifest::is_definition).map(|it| it.value).collect()
}
