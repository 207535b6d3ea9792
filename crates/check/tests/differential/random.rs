//! Objects at random, near those that a schema allows: the same seed makes the same objects.

use ordain_value::{Map, Value, value};

/// A small generator of numbers (SplitMix64): what matters is that a seed can be named.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }

    pub(crate) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// A value that stands somewhere in some object, or had better not.
    fn value(&mut self) -> Value {
        match self.below(22) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::Bool(false),
            3 => Value::Int(0),
            4 => Value::Int(-1),
            5 => Value::Int(1),
            6 => Value::Int(i64::from(i32::MAX) + 1),
            7 => Value::Int(i64::MAX),
            8 => Value::Float(1.5),
            9 => Value::from(""),
            10 => Value::from("a"),
            11 => Value::from("A_b"),
            12 => Value::from("x".repeat(64)),
            13 => Value::from("a.b-c/d"),
            14 => Value::from("10Mi"),
            15 => Value::from("2026-01-02T03:04:05Z"),
            16 => Value::from("10.0.0.1"),
            17 => Value::from(Vec::<Value>::new()),
            18 => Value::Map(Map::new()),
            19 => value!(["a", "a"]),
            20 => value!({"a": "b"}),
            _ => Value::from("ä 世界"),
        }
    }

    /// Changes one place of an object but its kind; `all` has a value for every field.
    pub(crate) fn change(&mut self, object: &mut Value, all: &Value) {
        let mut place = Vec::new();
        let (mut here, mut there) = (&*object, Some(all));
        loop {
            let step = match here {
                Value::Map(map) if !map.is_empty() => {
                    let at = self.below(map.len());
                    let Some(key) = map.keys().nth(at) else { break };
                    Step::Key(key.to_string())
                }
                Value::List(list) if !list.is_empty() => Step::Index(self.below(list.len())),
                _ => break,
            };
            let Some(next) = step.of(here) else { break };
            here = next;
            there = there.and_then(|it| step.of(it));
            place.push(step);
            if self.one_in(3) {
                break;
            }
        }
        match place.first() {
            None => return,
            Some(Step::Key(key)) if key == "apiVersion" || key == "kind" => return,
            _ => {}
        }
        let known = there.cloned();
        let value = match self.below(8) {
            0 => known.unwrap_or(Value::Null),
            1 => return remove(object, &place),
            2 => return self.grow(object, &place, all),
            _ => self.value(),
        };
        if let Some(target) = reach(object, &place) {
            *target = value;
        }
    }

    /// Adds to an object or list: a field that is known, one that is not, or an item once more.
    fn grow(&mut self, object: &mut Value, place: &[Step], all: &Value) {
        let known = place.iter().try_fold(all, |at, step| step.of(at)).cloned();
        match reach(object, place) {
            Some(Value::Map(map)) => {
                let fields = known.as_ref().and_then(Value::as_map);
                let count = fields.map_or(0, Map::len);
                let at = self.below(count + 1);
                match fields.and_then(|it| it.iter().nth(at)) {
                    Some((key, value)) => map.insert(key.clone(), value.clone()),
                    None => map.insert("unknownField", self.value()),
                };
            }
            Some(Value::List(list)) if !list.is_empty() => {
                let at = self.below(list.len());
                let again = list.get(at).cloned().unwrap_or_default();
                let mut items = list.to_vec();
                items.push(again);
                *list = items.into();
            }
            _ => {}
        }
    }
}

enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Step::Key(key) => value.get(key),
            Step::Index(at) => value.as_list().and_then(|it| it.get(*at)),
        }
    }
}

fn reach<'v>(object: &'v mut Value, place: &[Step]) -> Option<&'v mut Value> {
    place.iter().try_fold(object, |at, step| match step {
        Step::Key(key) => at.get_mut(key),
        Step::Index(index) => match at {
            Value::List(list) => list.to_mut().get_mut(*index),
            _ => None,
        },
    })
}

fn remove(object: &mut Value, place: &[Step]) {
    let Some((last, before)) = place.split_last() else { return };
    match (reach(object, before), last) {
        (Some(Value::Map(map)), Step::Key(key)) => drop(map.remove(key)),
        (Some(Value::List(list)), Step::Index(at)) => drop(list.to_mut().remove(*at)),
        _ => {}
    }
}
