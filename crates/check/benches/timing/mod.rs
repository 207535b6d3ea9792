//! Medians of things that are done in turns.

use std::time::{Duration, Instant};

/// How long something takes, and how much of the processors: on a busy machine only the second
/// can be compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Time {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2?} ({:.2?} of processors)", self.wall, self.cpu)
    }
}

/// Processor time of all threads so far.
pub(crate) fn cpu() -> Duration {
    let mut nanos = 0;
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
        nanos += text.split_whitespace().next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
    }
    Duration::from_nanos(nanos)
}

/// The medians of several things that are done in turns: what slows the machine down for a while
/// slows all of them down.
pub(crate) fn in_turns<const N: usize>(
    rounds: usize,
    mut jobs: [&mut dyn FnMut(); N],
) -> [Time; N] {
    let mut times: [Vec<Time>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (job, times) in jobs.iter_mut().zip(&mut times) {
            // The first time warms the caches that the job before has filled.
            job();
            let (start, used) = (Instant::now(), cpu());
            job();
            let wall = start.elapsed();
            times.push(Time { wall, cpu: cpu().saturating_sub(used) });
        }
    }
    times.map(|mut times| {
        let mut middle = |key: fn(&Time) -> Duration| {
            times.sort_by_key(key);
            key(&times[times.len() / 2])
        };
        Time { wall: middle(|it| it.wall), cpu: middle(|it| it.cpu) }
    })
}

pub(crate) fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}
