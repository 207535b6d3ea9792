//! Objects under the same key as one, which is how Go fills its structs and maps.

use crate::{Map, Text, Value};

/// Entries in document order to a map in which objects under the same key are one. The depth lives
/// on the heap.
pub(super) fn merged(entries: Vec<(Text, Value)>) -> Map {
    let mut frames = vec![Frame::new(Text::default(), entries)];
    loop {
        let Some(frame) = frames.last_mut() else { return Map::new() };
        match frame.waiting.next() {
            Some((key, Same::One(value))) => frame.done.push((key, value)),
            Some((key, Same::Objects(entries))) => frames.push(Frame::new(key, entries)),
            None => {
                let Some(Frame { key, done, .. }) = frames.pop() else { return Map::new() };
                let map = Map::from_sorted(done);
                match frames.last_mut() {
                    Some(outer) => outer.done.push((key, Value::Map(map))),
                    None => return map,
                }
            }
        }
    }
}

/// A map that is being made.
struct Frame {
    /// Where it goes in the one around it.
    key: Text,
    done: Vec<(Text, Value)>,
    waiting: std::vec::IntoIter<(Text, Same)>,
}

/// What stands under one key.
enum Same {
    One(Value),
    /// The entries of several objects, in document order.
    Objects(Vec<(Text, Value)>),
}

impl Frame {
    fn new(key: Text, mut entries: Vec<(Text, Value)>) -> Self {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let mut waiting: Vec<(Text, Same)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            match waiting.last_mut().filter(|it| it.0 == key) {
                Some((_, same)) => same.follow(value),
                None => waiting.push((key, Same::One(value))),
            }
        }
        Self { key, done: Vec::with_capacity(waiting.len()), waiting: waiting.into_iter() }
    }
}

impl Same {
    /// The next value under the same key: an object goes into one before it, all else replaces.
    fn follow(&mut self, value: Value) {
        match (&mut *self, value) {
            (Same::Objects(entries), Value::Map(more)) => entries.extend_from_slice(more.entries()),
            (Same::One(Value::Map(before)), Value::Map(more)) => {
                let mut entries = before.entries().to_vec();
                entries.extend_from_slice(more.entries());
                *self = Same::Objects(entries);
            }
            (_, value) => *self = Same::One(value),
        }
    }
}
