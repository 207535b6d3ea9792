//! Texts that a regular expression accepts, without search: enough to start from.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Longer texts are no help.
const LENGTH_MAX: usize = 256;

/// A text that fits a pattern, different ones for different variants.
pub(super) fn sample(pattern: &str, variant: u32) -> Option<String> {
    Sampler::new(pattern)?.stretched(variant, 0)
}

/// A pattern that many texts are made for: it is read once.
pub(super) struct Sampler(Hir);

impl Sampler {
    pub(super) fn new(pattern: &str) -> Option<Sampler> {
        regex_syntax::Parser::new().parse(pattern).ok().map(Sampler)
    }

    /// As [`sample`], with the first repetition that allows it so many times longer.
    pub(super) fn stretched(&self, variant: u32, stretch: u32) -> Option<String> {
        let mut out = Vec::new();
        let mut choice = Choice { left: variant, stretch };
        write(&self.0, &mut choice, &mut out, 0)?;
        String::from_utf8(out).ok()
    }
}

/// A stream of small choices out of one number.
struct Choice {
    left: u32,
    stretch: u32,
}

impl Choice {
    fn of(&mut self, count: u32) -> u32 {
        let picked = self.left % count.max(1);
        self.left /= count.max(1);
        picked
    }
}

fn write(hir: &Hir, choice: &mut Choice, out: &mut Vec<u8>, depth: usize) -> Option<()> {
    if depth > 64 || out.len() > LENGTH_MAX {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(Class::Unicode(class)) => {
            let wanted = [&['a', 'A', '0'][..], &['b', '1', 'Z'][..], &['-', '.', 'x'][..]];
            let wanted = wanted[choice.of(3) as usize];
            let fits =
                |it: &&char| class.ranges().iter().any(|r| r.start() <= **it && **it <= r.end());
            let first = class.ranges().first().map(|it| it.start());
            let picked = wanted.iter().find(fits).copied().or(first)?;
            out.extend_from_slice(picked.encode_utf8(&mut [0; 4]).as_bytes());
        }
        HirKind::Class(Class::Bytes(class)) => out.push(class.ranges().first()?.start()),
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(u32::MAX);
            let free = most.saturating_sub(repetition.min);
            let extra = (choice.of(3) + std::mem::take(&mut choice.stretch)).min(free);
            for _ in 0..repetition.min.saturating_add(extra) {
                write(&repetition.sub, choice, out, depth + 1)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, choice, out, depth + 1)?,
        HirKind::Concat(parts) => {
            for part in parts {
                write(part, choice, out, depth + 1)?;
            }
        }
        HirKind::Alternation(parts) => {
            let at = choice.of(u32::try_from(parts.len()).unwrap_or(1));
            write(parts.get(at as usize)?, choice, out, depth + 1)?;
        }
    }
    Some(())
}
