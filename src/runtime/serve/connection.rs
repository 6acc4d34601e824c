//! A client's connection with time limits: a request head has a deadline, and a response a minimum rate.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Time limits of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Time limit for the whole request head.
    pub head: Duration,
    /// Maximum time without progress of a response.
    pub stall: Duration,
    /// Minimum rate of a response, in bytes per second. A slower response uses up `stall`.
    pub min_rate: u64,
}

impl Default for Limits {
    /// Limits for clients on the same machine.
    fn default() -> Self {
        Self { head: Duration::from_secs(10), stall: Duration::from_secs(30), min_rate: 256 << 10 }
    }
}

/// Byte stream whose reads and writes can time out.
pub trait Socket: Read + Write {
    /// Sets the time after which a read or a write fails.
    fn set_timeout(&self, timeout: Duration) -> io::Result<()>;
}

impl Socket for &TcpStream {
    fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(timeout))?;
        self.set_write_timeout(Some(timeout))
    }
}

/// Connection that fails with `TimedOut` once a deadline has passed.
pub struct Connection<'c, S> {
    socket: S,
    limits: Limits,
    now: &'c dyn Fn() -> Instant,
    deadline: Instant,
}

impl<'c, S: Socket> Connection<'c, S> {
    /// Starts the deadline of the request head. `now` returns the current time.
    pub fn new(socket: S, limits: Limits, now: &'c dyn Fn() -> Instant) -> Self {
        Self { socket, limits, now, deadline: now() + limits.head }
    }

    /// Ends the deadline of the head and starts that of the response.
    pub fn begin_response(&mut self) {
        self.deadline = (self.now)() + self.limits.stall;
    }

    /// Sets the timeout of the next call to the remaining time.
    fn set_remaining_timeout(&self) -> io::Result<()> {
        let left = self.deadline.saturating_duration_since((self.now)());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_timeout(left)
    }

    /// Extends the deadline according to the number of written bytes, at most to `stall` from
    /// now.
    fn extend_deadline(&mut self, written: usize) {
        let rate = self.limits.min_rate.max(1);
        let earned = Duration::from_micros((written as u64).saturating_mul(1_000_000) / rate);
        let latest = (self.now)() + self.limits.stall;
        self.deadline = (self.deadline + earned).min(latest);
    }
}

impl<S: Socket> Read for Connection<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.set_remaining_timeout()?;
        self.socket.read(buffer)
    }
}

impl<S: Socket> Write for Connection<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.set_remaining_timeout()?;
        let written = self.socket.write(bytes)?;
        self.extend_deadline(written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Socket of a client that needs some time for each byte. The clock advances only by its
    /// transfers.
    struct SlowClient<'c> {
        elapsed: &'c Cell<Duration>,
        per_byte: Duration,
        /// Maximum number of bytes per call.
        at_once: usize,
        timeout: Cell<Duration>,
    }

    impl<'c> SlowClient<'c> {
        fn new(elapsed: &'c Cell<Duration>, per_byte: Duration, at_once: usize) -> Self {
            Self { elapsed, per_byte, at_once, timeout: Cell::default() }
        }

        fn transfer(&self, bytes: usize) -> io::Result<usize> {
            let bytes = bytes.min(self.at_once);
            let needed = self.per_byte * u32::try_from(bytes).unwrap();
            self.elapsed.set(self.elapsed.get() + needed.min(self.timeout.get()));
            if needed > self.timeout.get() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(bytes) }
        }
    }

    impl Read for SlowClient<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let read = self.transfer(buffer.len())?;
            buffer[..read].fill(b'a');
            Ok(read)
        }
    }

    impl Write for SlowClient<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.transfer(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Socket for SlowClient<'_> {
        fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
            assert!(!timeout.is_zero(), "a socket refuses a timeout of zero");
            self.timeout.set(timeout);
            Ok(())
        }
    }

    const LIMITS: Limits =
        Limits { head: Duration::from_secs(10), stall: Duration::from_secs(30), min_rate: 1000 };

    #[test]
    fn head_that_arrives_byte_by_byte_is_dropped_at_the_deadline() {
        let (start, elapsed) = (Instant::now(), Cell::new(Duration::ZERO));
        let now = || start + elapsed.get();
        let client = SlowClient::new(&elapsed, Duration::from_secs(1), 1);
        let mut connection = Connection::new(client, LIMITS, &now);
        let mut head = Vec::new();
        let error = connection.read_to_end(&mut head).unwrap_err();
        assert_eq!((error.kind(), head.len(), elapsed.get()), (io::ErrorKind::TimedOut, 10, LIMITS.head));
    }

    #[test]
    fn silent_client_is_waited_for_until_the_deadline_of_the_head() {
        let (start, elapsed) = (Instant::now(), Cell::new(Duration::ZERO));
        let now = || start + elapsed.get();
        let client = SlowClient::new(&elapsed, Duration::MAX / 2, 1);
        let mut connection = Connection::new(client, LIMITS, &now);
        connection.read(&mut [0]).unwrap_err();
        assert_eq!(elapsed.get(), LIMITS.head);
    }

    #[test]
    fn reader_below_the_minimum_rate_is_dropped_even_after_fast_reads() {
        let (start, elapsed) = (Instant::now(), Cell::new(Duration::ZERO));
        let now = || start + elapsed.get();
        let client = SlowClient::new(&elapsed, Duration::ZERO, 1 << 16);
        let mut connection = Connection::new(client, LIMITS, &now);
        connection.begin_response();
        let large = vec![0; 100 << 20];
        connection.write_all(&large).unwrap();
        // At half of the minimum rate, half of each second counts as stalled.
        connection.socket.per_byte = Duration::from_millis(2);
        connection.socket.at_once = 500;
        connection.write_all(&large).unwrap_err();
        assert!(elapsed.get() <= LIMITS.stall * 2, "{:?}", elapsed.get());
        assert!(elapsed.get() + Duration::from_secs(1) > LIMITS.stall * 2, "{:?}", elapsed.get());
    }

    #[test]
    fn reader_at_the_minimum_rate_gets_a_response_of_any_length() {
        let (start, elapsed) = (Instant::now(), Cell::new(Duration::ZERO));
        let now = || start + elapsed.get();
        let client = SlowClient::new(&elapsed, Duration::from_millis(1), 1000);
        let mut connection = Connection::new(client, LIMITS, &now);
        connection.begin_response();
        connection.write_all(&vec![0; 1 << 20]).unwrap();
        assert!(elapsed.get() > LIMITS.stall * 30, "{:?}", elapsed.get());
    }
}
