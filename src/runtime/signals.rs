//! Signals as events, and suspension with `Ctrl-Z`.
//!
//! While another program owns the terminal, its signals are for that program: `Ctrl-C` in an
//! editor does not end olmap. `SIGTERM` and `SIGHUP` end olmap, so they are forwarded to the
//! other program. Otherwise two programs would share the terminal.

use std::io;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Events;

/// Owner of the terminal.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals to pass on"))]
enum TerminalOwner {
    /// This process.
    #[default]
    Olmap,
    /// The shell: olmap is suspended, or about to be.
    Shell,
    /// Another program, such as an editor, with its process id once it has started.
    Program(Option<u32>),
}

/// Time limit for olmap to end by itself after a signal, and for releasing the terminal.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(1);

/// Additional time for a save that is in progress.
const SAVE_GRACE: Duration = Duration::from_secs(5);

/// State shared with the signal thread.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    owner: Arc<Mutex<TerminalOwner>>,
    /// True if a save may delay the end of the program.
    is_saving: Arc<AtomicBool>,
}

impl Signals {
    /// Starts the signal thread, which sends an event for each signal that concerns olmap.
    ///
    /// # Errors
    ///
    /// Fails if the signal handlers cannot be installed or the thread cannot be started.
    pub fn listen(events: Events) -> io::Result<Self> {
        let signals = Self::default();
        signals.clone().start_signal_thread(events)?;
        Ok(signals)
    }

    /// Runs a program that owns the terminal until it ends.
    ///
    /// # Errors
    ///
    /// Fails if the program cannot be started or waited for.
    pub fn run_program(&self, command: &mut Command) -> io::Result<ExitStatus> {
        *self.lock_owner() = TerminalOwner::Program(None);
        let status = command.spawn().and_then(|mut child| {
            *self.lock_owner() = TerminalOwner::Program(Some(child.id()));
            child.wait()
        });
        *self.lock_owner() = TerminalOwner::Olmap;
        status
    }

    /// Extends the time limit for ending, because a save is in progress. Returns the deadline.
    pub fn wait_for_save(&self) -> Instant {
        self.is_saving.store(true, Ordering::Relaxed);
        Instant::now() + SAVE_GRACE
    }

    fn lock_owner(&self) -> MutexGuard<'_, TerminalOwner> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reason why olmap cannot be suspended if it was not started by a shell.
pub const NO_SHELL: &str = "no shell to return to";

/// Returns the reason why the program cannot be suspended, if any.
pub fn suspension_refusal() -> Option<&'static str> {
    #[cfg(unix)]
    let has_shell = unix::has_shell();
    #[cfg(not(unix))]
    let has_shell = false;
    (!has_shell).then_some(NO_SHELL)
}

#[cfg(unix)]
mod unix {
    use nix::{
        sys::signal::{Signal, kill},
        unistd::{Pid, getpgrp, getppid, getsid},
    };
    use signal_hook::{
        consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP},
        iterator::Signals as Iterator,
        low_level::emulate_default_handler,
    };

    use std::{
        sync::{atomic::Ordering, mpsc},
        thread::sleep,
    };

    use super::{Events, GRACE, SAVE_GRACE, Signals, TerminalOwner, io};
    use crate::runtime::{Event, spawn_thread, terminal};

    /// Argument of kill(2) for all processes of the own group.
    const OWN_GROUP: Pid = Pid::from_raw(0);

    impl Signals {
        /// Installs the signal handlers, and starts the signal thread.
        pub(super) fn start_signal_thread(self, events: Events) -> io::Result<()> {
            let mut heard = Iterator::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
            spawn_thread("signals", &events.clone(), move || {
                let mut ending = false;
                for signal in heard.forever() {
                    let Some(event) = self.event_for(signal) else { continue };
                    // A second signal ends the program at once, except for `SIGHUP`. A closed
                    // terminal may cause two: from the system and from the shell.
                    if let Event::Signal(signal) = event {
                        let asks_again = std::mem::replace(&mut ending, true);
                        if asks_again && signal != SIGHUP {
                            end_now(signal);
                        } else if !asks_again {
                            self.clone().enforce_end(signal, &events);
                        }
                    }
                    if events.send(event).is_err() {
                        break;
                    }
                }
            })
        }

        /// Starts a thread that ends the program if it does not end by itself in time.
        fn enforce_end(self, signal: i32, events: &Events) {
            // Without the thread, a second signal ends the program.
            let _ = spawn_thread("ending", events, move || {
                sleep(GRACE);
                if self.is_saving.load(Ordering::Relaxed) {
                    sleep(SAVE_GRACE);
                }
                // Waits for the program in the terminal, since it would otherwise share the
                // terminal with the shell.
                while matches!(*self.lock_owner(), TerminalOwner::Program(_)) {
                    sleep(GRACE);
                }
                end_now(signal);
            });
        }

        /// Returns the event for a signal; `None` if olmap ignores it or handles it here.
        fn event_for(&self, signal: i32) -> Option<Event> {
            let holder = *self.lock_owner();
            match (holder, signal) {
                (TerminalOwner::Olmap, SIGTSTP) => Some(Event::Stop),
                (TerminalOwner::Olmap, SIGCONT) => Some(Event::Continued),
                (TerminalOwner::Olmap, _) | (TerminalOwner::Shell, SIGTERM | SIGHUP | SIGINT | SIGQUIT) => {
                    Some(Event::Signal(signal))
                }
                (TerminalOwner::Program(_), SIGTSTP) => {
                    // Stops only this process. `Ctrl-Z` sends the signal to the whole group,
                    // including the program.
                    let _ = emulate_default_handler(signal);
                    None
                }
                (TerminalOwner::Program(pid), SIGTERM | SIGHUP) => {
                    forward_signal(pid, signal);
                    Some(Event::Signal(signal))
                }
                (TerminalOwner::Program(_) | TerminalOwner::Shell, _) => None,
            }
        }

        /// Stops this process group until the shell continues it. Returns false if there is no
        /// shell or the stop fails.
        pub fn stop(&self) -> bool {
            if !has_shell() {
                return false;
            }
            *self.lock_owner() = TerminalOwner::Shell;
            // A script that started olmap is stopped too, since the shell would otherwise wait
            // for it.
            let stopped = kill(OWN_GROUP, Signal::SIGSTOP).is_ok();
            *self.lock_owner() = TerminalOwner::Olmap;
            stopped
        }
    }

    /// Releases the terminal, and ends the program like the default handler of a signal.
    fn end_now(signal: i32) {
        // Uses another thread with a time limit, since a write to the terminal may block.
        let (done, given_back) = mpsc::channel();
        let give_back = move || {
            terminal::restore_all();
            let _ = done.send(());
        };
        if std::thread::Builder::new().spawn(give_back).is_ok() {
            let _ = given_back.recv_timeout(GRACE);
        }
        let _ = emulate_default_handler(signal);
    }

    fn forward_signal(pid: Option<u32>, signal: i32) {
        let signal = if signal == SIGHUP { Signal::SIGHUP } else { Signal::SIGTERM };
        if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0) {
            // A program that has ended does not receive a signal.
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    /// Returns true if a shell with job control can continue olmap. In this case, the parent is
    /// in the same session, and the process group is not that of the session leader. The first
    /// process of a terminal does not have such a shell.
    pub(super) fn has_shell() -> bool {
        // If the parent is outside of the container, its id is 0, and getsid(2) would return the
        // own session.
        let parent = Some(getppid()).filter(|parent| parent.as_raw() > 0);
        let parents = parent.and_then(|parent| getsid(Some(parent)).ok());
        getsid(None).is_ok_and(|session| session != getpgrp() && parents == Some(session))
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Does nothing, since the system does not have signals.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "same signature as on Unix")]
    fn start_signal_thread(self, _: Events) -> io::Result<()> {
        Ok(())
    }

    /// Returns false, since suspension is not supported.
    #[allow(clippy::unused_self, reason = "same signature as on Unix")]
    pub fn stop(&self) -> bool {
        false
    }
}
