//! How much a YAML document is once its aliases are written out: the guard against alias bombs.

/// Bytes that aliases may add to a document, besides as many as the text has. An object is refused
/// long before it is that large, and so nothing is lost but the attack.
const ALIAS_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Nodes that aliases may add to a document with few of its own.
const ALIAS_NODES_MAX: usize = 1_000_000;

/// How much a node is once its aliases are written out.
#[derive(Clone, Copy, Default)]
pub(super) struct Weight {
    pub(super) nodes: usize,
    /// Bytes of its keys and texts.
    pub(super) bytes: usize,
}

impl Weight {
    pub(super) fn scalar(text: &str) -> Self {
        Weight { nodes: 1, bytes: text.len() }
    }

    pub(super) fn add(&mut self, other: Weight) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Whether so much may not come from aliases in a document of so many nodes, aliases written
    /// out, and a text of so many bytes. The share of nodes goes from 99 % in small documents down
    /// to 10 %, as Go has it; there is also a bound on how much it may be at all.
    pub(super) fn is_excessive(self, nodes: usize, text_bytes: usize) -> bool {
        const LOW: f64 = 400_000.0;
        const HIGH: f64 = 4_000_000.0;
        let allowed = 0.99 - 0.89 * ((nodes as f64 - LOW) / (HIGH - LOW)).clamp(0.0, 1.0);
        let share = self.nodes > 100 && nodes > 1000 && self.nodes as f64 / nodes as f64 > allowed;
        let many = self.nodes > ALIAS_NODES_MAX.max(10 * nodes.saturating_sub(self.nodes));
        let large = self.bytes > ALIAS_BYTES_MAX.saturating_add(text_bytes);
        share || many || large
    }
}
