//! The order in which keys are printed: numbers in them count by value, letters come last.

use std::cmp::Ordering;

/// Sorts by [`compare`], which is no order that a library sort could rely on.
pub(super) fn sorted<T>(entries: &[T], key: impl Fn(&T) -> &str + Copy) -> Vec<&T> {
    let mut list: Vec<&T> = entries.iter().collect();
    // Most maps are in this order already: it differs from that of bytes by numbers and signs only.
    let in_order =
        list.windows(2).all(|pair| compare(key(pair[0]), key(pair[1])) != Ordering::Greater);
    if !in_order {
        merge_sort(&mut list, key);
    }
    list
}

fn merge_sort<'a, T>(list: &mut Vec<&'a T>, key: impl Fn(&T) -> &str + Copy) {
    let mut width = 1;
    while width < list.len() {
        let mut merged: Vec<&'a T> = Vec::with_capacity(list.len());
        for pair in list.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some(a), Some(b)) = (left.first(), right.first()) {
                let from =
                    if compare(key(b), key(a)) == Ordering::Less { &mut right } else { &mut left };
                merged.extend(from.first());
                *from = &from[1..];
            }
            merged.extend(left);
            merged.extend(right);
        }
        *list = merged;
        width *= 2;
    }
}

/// As go-yaml compares keys that are strings.
fn compare(a: &str, b: &str) -> Ordering {
    let differs = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b);
    let Some(((at, x), y)) = differs else {
        return a.len().cmp(&b.len());
    };
    match (x.is_alphabetic(), y.is_alphabetic()) {
        (true, true) => return x.cmp(&y),
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero counts only after another digit.
    let follows_digit = (x == '0' || y == '0')
        && a[..at].bytes().rev().take_while(u8::is_ascii_digit).any(|digit| digit != b'0');
    let number = |text: &str| {
        let digits = text[at..].bytes().take_while(u8::is_ascii_digit);
        digits.fold((i64::from(follows_digit), 0), |(value, len), digit| {
            (value.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), len + 1)
        })
    };
    number(a).cmp(&number(b)).then(x.cmp(&y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_keys_count() {
        let keys = ["a10", "a2", "a1", "a", "a-b", "aB", "b", "A", "1", "10", "9", "_x", "a01"];
        let shown = sorted(&keys, |it| it);
        let wanted = ["_x", "1", "9", "10", "A", "a", "a-b", "a1", "a01", "a2", "a10", "aB", "b"];
        assert_eq!(shown, wanted.iter().collect::<Vec<_>>());
    }
}
