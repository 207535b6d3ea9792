//! Go text, line by line, indented as gofmt has it.

/// What was written so far.
#[derive(Debug, Default)]
pub(super) struct Writer {
    pub text: String,
    depth: usize,
}

impl Writer {
    /// Writes a line.
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.push_str(&"\t".repeat(self.depth));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Opens a block; its first line ends in a brace.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes a block.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// Closes a block and opens the one for the other case.
    pub(super) fn otherwise(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.open("} else {");
    }
}
