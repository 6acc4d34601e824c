//! Time limit of a whole transfer.

use std::time::{Duration, Instant};

use crate::source::images::error::ImageError;

/// Default limit of a whole transfer.
const TOTAL: Duration = Duration::from_secs(30 * 60);

/// Moment at which a transfer is given up, with all its requests, retries and resumed bodies.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    start: Instant,
    limit: Duration,
}

impl Deadline {
    /// Starts a transfer. `limit`: how long it may take; `None` for the default.
    pub fn start(limit: Option<Duration>) -> Self {
        Self { start: Instant::now(), limit: limit.unwrap_or(TOTAL) }
    }

    /// Returns the time that is left.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn remaining(&self) -> Result<Duration, ImageError> {
        let left = self.limit.saturating_sub(self.start.elapsed());
        if left.is_zero() { Err(self.passed()) } else { Ok(left) }
    }

    /// Returns the error of a transfer that has taken too long.
    pub fn passed(&self) -> ImageError {
        ImageError::TooSlow(self.limit)
    }
}
