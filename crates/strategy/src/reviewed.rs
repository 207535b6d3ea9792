//! Reviewed files: one entry by line, words first and a reason to the end of the line; lines that
//! start with `#` say nothing.

/// The entries of a file with so many words before the reason, each with its line's number.
///
/// # Errors
/// A line that lacks a word or the reason; `wanted` says what a line is made of.
pub fn entries<'a>(
    text: &'a str,
    words: usize,
    wanted: &str,
) -> Result<Vec<(usize, Vec<&'a str>)>, String> {
    let mut out = Vec::new();
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut entry = Vec::with_capacity(words + 1);
        let mut rest = line;
        for _ in 0..words {
            let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            entry.push(word);
            rest = behind.trim_start();
        }
        if rest.is_empty() {
            return Err(format!("line {number}: {wanted} are needed"));
        }
        entry.push(rest);
        out.push((number, entry));
    }
    Ok(out)
}
