//! The difference of two texts in the unified form, as messages carry it.
//!
//! The blocks that are kept are those of Ratcliff and Obershelp's method with lines as symbols,
//! popular lines left aside in long texts, so that the result is the same as the real server's.

use std::collections::HashMap;
use std::fmt::Write as _;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;
/// Texts of as many lines have popular ones.
const POPULAR_LINES_MIN: usize = 200;

/// Comparisons after which the search for equal runs ends; what is left counts as changed.
const COMPARISONS_MAX: usize = 20_000_000;

/// A run of equal lines: where it begins in both texts, and its length.
#[derive(Clone, Copy)]
struct Block {
    a: usize,
    b: usize,
    len: usize,
}

/// What becomes of a range of lines of the first text.
#[derive(Clone, Copy, PartialEq)]
struct Step {
    equal: bool,
    a: (usize, usize),
    b: (usize, usize),
}

/// The difference, empty for equal texts.
pub(crate) fn unified(old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut out = String::new();
    for group in groups(steps(&a, &b)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let range = |from: usize, to: usize| match to - from {
            1 => format!("{}", from + 1),
            0 => format!("{from},0"),
            len => format!("{},{len}", from + 1),
        };
        let (of_a, of_b) = (range(first.a.0, last.a.1), range(first.b.0, last.b.1));
        let mut add = |mark: char, line: &str| {
            let written = writeln!(out, "{mark}{line}");
            debug_assert!(written.is_ok(), "writing to a string does not fail");
        };
        add('@', &format!("@ -{of_a} +{of_b} @@"));
        for step in &group {
            if step.equal {
                a[step.a.0..step.a.1].iter().for_each(|line| add(' ', line));
                continue;
            }
            a[step.a.0..step.a.1].iter().for_each(|line| add('-', line));
            b[step.b.0..step.b.1].iter().for_each(|line| add('+', line));
        }
    }
    out
}

/// The places of each line in the second text, but for popular lines.
fn places<'a>(b: &[&'a str]) -> HashMap<&'a str, Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in b.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    if b.len() >= POPULAR_LINES_MIN {
        let often = b.len() / 100 + 1;
        places.retain(|_, at| at.len() <= often);
    }
    places
}

fn steps(a: &[&str], b: &[&str]) -> Vec<Step> {
    let places = places(b);
    let mut blocks = Vec::new();
    let mut open = vec![(0, a.len(), 0, b.len())];
    let mut left = COMPARISONS_MAX;
    while let Some((a_from, a_to, b_from, b_to)) = open.pop() {
        let block = longest(a, b, &places, (a_from, a_to), (b_from, b_to), &mut left);
        if block.len == 0 || left == 0 {
            continue;
        }
        blocks.push(block);
        open.push((a_from, block.a, b_from, block.b));
        open.push((block.a + block.len, a_to, block.b + block.len, b_to));
    }
    blocks.sort_by_key(|it| (it.a, it.b));
    let mut merged: Vec<Block> = Vec::new();
    for block in blocks {
        match merged.last_mut() {
            Some(last) if last.a + last.len == block.a && last.b + last.len == block.b => {
                last.len += block.len;
            }
            _ => merged.push(block),
        }
    }
    merged.push(Block { a: a.len(), b: b.len(), len: 0 });
    let (mut at_a, mut at_b) = (0, 0);
    let mut steps = Vec::new();
    for block in merged {
        if at_a < block.a || at_b < block.b {
            steps.push(Step { equal: false, a: (at_a, block.a), b: (at_b, block.b) });
        }
        (at_a, at_b) = (block.a + block.len, block.b + block.len);
        if block.len > 0 {
            steps.push(Step { equal: true, a: (block.a, at_a), b: (block.b, at_b) });
        }
    }
    steps
}

/// The longest run of equal lines in two ranges, the first one of several.
fn longest(
    a: &[&str],
    b: &[&str],
    places: &HashMap<&str, Vec<usize>>,
    (a_from, a_to): (usize, usize),
    (b_from, b_to): (usize, usize),
    left: &mut usize,
) -> Block {
    let mut best = Block { a: a_from, b: b_from, len: 0 };
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (at, line) in a.iter().enumerate().take(a_to).skip(a_from) {
        let mut next = HashMap::new();
        *left = left.saturating_sub(1);
        for place in places.get(line).into_iter().flatten() {
            if *place < b_from {
                continue;
            }
            if *place >= b_to {
                break;
            }
            *left = left.saturating_sub(1);
            if *left == 0 {
                return Block { a: a_from, b: b_from, len: 0 };
            }
            let before = place.checked_sub(1).and_then(|it| lengths.get(&it)).copied();
            let len = before.unwrap_or(0) + 1;
            next.insert(*place, len);
            if len > best.len {
                best = Block { a: at + 1 - len, b: place + 1 - len, len };
            }
        }
        lengths = next;
    }
    // Popular lines beside the run belong to it.
    while best.a > a_from && best.b > b_from && a[best.a - 1] == b[best.b - 1] {
        best = Block { a: best.a - 1, b: best.b - 1, len: best.len + 1 };
    }
    while best.a + best.len < a_to
        && best.b + best.len < b_to
        && a[best.a + best.len] == b[best.b + best.len]
    {
        best.len += 1;
    }
    best
}

/// Changes with the lines around them; those that are near each other share a group.
fn groups(mut steps: Vec<Step>) -> Vec<Vec<Step>> {
    if let Some(first) = steps.first_mut().filter(|it| it.equal) {
        first.a.0 = first.a.0.max(first.a.1.saturating_sub(CONTEXT));
        first.b.0 = first.b.0.max(first.b.1.saturating_sub(CONTEXT));
    }
    if let Some(last) = steps.last_mut().filter(|it| it.equal) {
        last.a.1 = last.a.1.min(last.a.0 + CONTEXT);
        last.b.1 = last.b.1.min(last.b.0 + CONTEXT);
    }
    let mut groups = Vec::new();
    let mut group: Vec<Step> = Vec::new();
    for mut step in steps {
        if step.equal && step.a.1 - step.a.0 > 2 * CONTEXT {
            let (a, b) = (step.a.1.min(step.a.0 + CONTEXT), step.b.1.min(step.b.0 + CONTEXT));
            group.push(Step { equal: true, a: (step.a.0, a), b: (step.b.0, b) });
            groups.push(std::mem::take(&mut group));
            step.a.0 = step.a.0.max(step.a.1.saturating_sub(CONTEXT));
            step.b.0 = step.b.0.max(step.b.1.saturating_sub(CONTEXT));
        }
        group.push(step);
    }
    if group.iter().any(|it| !it.equal) {
        groups.push(group);
    }
    groups.retain(|group| group.iter().any(|it| !it.equal));
    groups
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn changes_are_shown_with_the_lines_around() {
        let old = "a\nb\nc\nd\ne\nf";
        let new = "a\nb\nc\nX\ne\nf\ng";
        let expected = "@@ -1,6 +1,7 @@\n a\n b\n c\n-d\n+X\n e\n f\n+g\n";
        assert_eq!(unified(old, new), expected);
        assert_eq!(unified(old, old), "");
    }
}
