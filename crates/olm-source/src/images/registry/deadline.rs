//! Time limit of a whole transfer.

use std::time::{Duration, Instant};

use crate::images::error::ImageError;

/// Default limit of a whole transfer.
const DEFAULT_LIMIT: Duration = Duration::from_secs(30 * 60);

/// End of a transfer with all its requests, retries and resumed bodies.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    /// Starts a transfer with a time limit; `None` for the default.
    pub fn starting_now(limit: Option<Duration>) -> Self {
        Self { start: Instant::now(), limit: limit.unwrap_or(DEFAULT_LIMIT) }
    }

    /// Returns the remaining time.
    ///
    /// # Errors
    ///
    /// If the limit is exceeded.
    pub fn remaining(&self) -> Result<Duration, ImageError> {
        let left = self.limit.saturating_sub(self.start.elapsed());
        if left.is_zero() { Err(self.exceeded_error()) } else { Ok(left) }
    }

    /// Returns the error for a transfer that exceeded its limit.
    pub fn exceeded_error(&self) -> ImageError {
        ImageError::TooSlow(self.limit)
    }
}
