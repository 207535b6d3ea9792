//! Letting go of much at once. To give up a share in each of 100,000 objects takes long enough to keep
//! others waiting, so that is done beside the threads that answer.

/// What is let go where it stands.
const FEW: usize = 1_000;

/// Drops a value of so many parts, apart if they are many.
pub fn discard<T: Send + 'static>(value: T, len: usize) {
    if len > FEW
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn_blocking(move || drop(value));
    }
}
