//! Lines that differ, with a few around them.

/// Lines shown around a change.
const CONTEXT: usize = 3;
/// Above so many pairs of lines a change is shown as a whole.
const PAIRS_MAX: usize = 4_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Same,
    Gone,
    New,
}

/// The change from one text to another in hunks, as `diff -u` shows them.
pub(super) fn unified(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let steps = steps(&old, &new);
    let changed: Vec<usize> = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| **step != Step::Same)
        .map(|(at, _)| at)
        .collect();
    let mut out = Vec::new();
    let mut rest = changed.as_slice();
    while let Some(first) = rest.first().copied() {
        let mut last = first;
        let mut count = 0;
        for at in rest {
            if *at > last + 2 * CONTEXT + 1 {
                break;
            }
            last = *at;
            count += 1;
        }
        rest = rest.get(count..).unwrap_or_default();
        let range = first.saturating_sub(CONTEXT)..(last + CONTEXT + 1).min(steps.len());
        hunk(&steps, range, &old, &new, &mut out);
    }
    out
}

fn hunk(
    steps: &[Step],
    range: std::ops::Range<usize>,
    old: &[&str],
    new: &[&str],
    out: &mut Vec<String>,
) {
    let count =
        |upto: usize, not: Step| steps.iter().take(upto).filter(|step| **step != not).count();
    let (mut at_old, mut at_new) = (count(range.start, Step::New), count(range.start, Step::Gone));
    let lens = (count(range.end, Step::New) - at_old, count(range.end, Step::Gone) - at_new);
    out.push(format!("@@ -{},{} +{},{} @@", at_old + 1, lens.0, at_new + 1, lens.1));
    for step in steps.get(range).unwrap_or_default() {
        let (sign, line) = match step {
            Step::Same => (' ', old.get(at_old)),
            Step::Gone => ('-', old.get(at_old)),
            Step::New => ('+', new.get(at_new)),
        };
        out.push(format!("{sign}{}", line.copied().unwrap_or_default()));
        at_old += usize::from(*step != Step::New);
        at_new += usize::from(*step != Step::Gone);
    }
}

/// How one list of lines becomes the other: the longest common part stays.
fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let shorter = old.len().min(new.len()) - start;
    let end =
        old.iter().rev().zip(new.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
    let middle_old = old.get(start..old.len() - end).unwrap_or_default();
    let middle_new = new.get(start..new.len() - end).unwrap_or_default();
    let mut out = vec![Step::Same; start];
    out.extend(middle(middle_old, middle_new));
    out.extend(std::iter::repeat_n(Step::Same, end));
    out
}

fn middle(old: &[&str], new: &[&str]) -> Vec<Step> {
    let width = new.len() + 1;
    if old.len().saturating_mul(new.len()) > PAIRS_MAX {
        let gone = std::iter::repeat_n(Step::Gone, old.len());
        return gone.chain(std::iter::repeat_n(Step::New, new.len())).collect();
    }
    // Length of the longest common part of what is left, from each pair of places on.
    let mut common = vec![0_u32; (old.len() + 1) * width];
    let cell = |at_old: usize, at_new: usize| at_old * width + at_new;
    for (at_old, a) in old.iter().enumerate().rev() {
        for (at_new, b) in new.iter().enumerate().rev() {
            common[cell(at_old, at_new)] = if a == b {
                common[cell(at_old + 1, at_new + 1)] + 1
            } else {
                common[cell(at_old + 1, at_new)].max(common[cell(at_old, at_new + 1)])
            };
        }
    }
    let (mut at_old, mut at_new, mut out) = (0, 0, Vec::new());
    while at_old < old.len() || at_new < new.len() {
        let step = match (old.get(at_old), new.get(at_new)) {
            (Some(a), Some(b)) if a == b => Step::Same,
            (Some(_), Some(_)) => {
                let gone = common[cell(at_old + 1, at_new)] >= common[cell(at_old, at_new + 1)];
                if gone { Step::Gone } else { Step::New }
            }
            (Some(_), None) => Step::Gone,
            (None, _) => Step::New,
        };
        at_old += usize::from(step != Step::New);
        at_new += usize::from(step != Step::Gone);
        out.push(step);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn hunks_show_changes_with_lines_around_them() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nm\nn\n";
        let new = "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\nn\n";
        assert_eq!(
            unified(old, new).join("\n"),
            "@@ -1,5 +1,5 @@\n a\n-b\n+B\n c\n d\n e\n@@ -10,5 +10,4 @@\n j\n k\n l\n-m\n n"
        );
        assert!(unified(old, old).is_empty());
    }
}
