//! Signals as messages, and stopping as `Ctrl-Z` does.
//!
//! While another program has the terminal, signals of the terminal are meant for it: `Ctrl-C` in an editor does not end
//! olmap, and one that asks olmap to end is passed on, so that never two programs are left with one terminal.

use std::{
    io,
    process::{Command, ExitStatus},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use super::Events;

/// Who has the terminal.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(not(unix), allow(dead_code, reason = "there are no signals to pass on"))]
enum Holder {
    /// We have it.
    #[default]
    Us,
    /// The shell: we are stopped, or about to.
    Shell,
    /// Another program, by its process id once it has one.
    Program(Option<u32>),
}

/// How long the program may take to end by itself once a signal asks it to.
#[cfg(unix)]
const GRACE: Duration = Duration::from_secs(1);

/// How much longer it may take where it is saving.
const TO_SAVE: Duration = Duration::from_secs(5);

/// Knows who has the terminal, for the thread that hears the signals.
#[derive(Clone, Debug, Default)]
pub struct Signals {
    holder: Arc<Mutex<Holder>>,
    /// Whether the program brings a save to its end before it ends.
    is_saving: Arc<AtomicBool>,
}

impl Signals {
    /// Sends a message for every signal that asks the program to do something.
    ///
    /// # Errors
    ///
    /// When the system does not let us listen.
    pub fn listen(events: Events) -> io::Result<Self> {
        let signals = Self::default();
        signals.clone().hear(events)?;
        Ok(signals)
    }

    /// Runs a program that has the terminal until it ends.
    ///
    /// # Errors
    ///
    /// When it cannot be started.
    pub fn run(&self, command: &mut Command) -> io::Result<ExitStatus> {
        *self.holder() = Holder::Program(None);
        let status = command.spawn().and_then(|mut child| {
            *self.holder() = Holder::Program(Some(child.id()));
            child.wait()
        });
        *self.holder() = Holder::Us;
        status
    }

    /// Says that a save is brought to its end first; by when it must be.
    pub fn wait_for_save(&self) -> Instant {
        self.is_saving.store(true, Ordering::Relaxed);
        Instant::now() + TO_SAVE
    }

    fn holder(&self) -> MutexGuard<'_, Holder> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why the terminal is not handed to a shell where none waits for it.
pub const NO_SHELL: &str = "no shell to return to";

/// Why it cannot be handed to one, where it cannot.
pub fn no_shell() -> Option<&'static str> {
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

    use super::{Events, GRACE, Holder, Signals, TO_SAVE, io};
    use crate::runtime::{Event, modes, thread};

    /// To kill(2): all processes of our own group.
    const EVERYBODY_OF_THE_JOB: Pid = Pid::from_raw(0);

    impl Signals {
        pub(super) fn hear(self, events: Events) -> io::Result<()> {
            let mut heard = Iterator::new([SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])?;
            thread::spawn("signals", &events.clone(), move || {
                let mut ending = false;
                for signal in heard.forever() {
                    let Some(event) = self.means(signal) else { continue };
                    // Who asks twice does not want to wait for what we are at. Of a lost terminal one is told twice: by the
                    // system and by the shell.
                    if let Event::Signal(signal) = event {
                        let asks_again = std::mem::replace(&mut ending, true);
                        if asks_again && signal != SIGHUP {
                            end_now(signal);
                        } else if !asks_again {
                            self.clone().see_it_end(signal, &events);
                        }
                    }
                    if events.send(event).is_err() {
                        break;
                    }
                }
            })
        }

        /// Ends the program if it does not end by itself, whatever it is at.
        fn see_it_end(self, signal: i32, events: &Events) {
            // Without the thread a second signal does it.
            let _ = thread::spawn("ending", events, move || {
                sleep(GRACE);
                if self.is_saving.load(Ordering::Relaxed) {
                    sleep(TO_SAVE);
                }
                // Two programs must not be left with one terminal.
                while matches!(*self.holder(), Holder::Program(_)) {
                    sleep(GRACE);
                }
                end_now(signal);
            });
        }

        /// What a signal is to us.
        fn means(&self, signal: i32) -> Option<Event> {
            let holder = *self.holder();
            match (holder, signal) {
                (Holder::Us, SIGTSTP) => Some(Event::Stop),
                (Holder::Us, SIGCONT) => Some(Event::Continued),
                (Holder::Us, _) | (Holder::Shell, SIGTERM | SIGHUP | SIGINT | SIGQUIT) => {
                    Some(Event::Signal(signal))
                }
                (Holder::Program(_), SIGTSTP) => {
                    // The program stops itself and all of its group, as `Ctrl-Z` in an editor does.
                    let _ = emulate_default_handler(signal);
                    None
                }
                (Holder::Program(pid), SIGTERM | SIGHUP) => {
                    pass_on(pid, signal);
                    Some(Event::Signal(signal))
                }
                (Holder::Program(_) | Holder::Shell, _) => None,
            }
        }

        /// Stops the process and those it was started with, until somebody continues them. Does nothing and gives `false`
        /// where nobody is there to continue them.
        pub fn stop(&self) -> bool {
            if !has_shell() {
                return false;
            }
            *self.holder() = Holder::Shell;
            // A script that started us is stopped too, or the shell would go on waiting for it.
            let stopped = kill(EVERYBODY_OF_THE_JOB, Signal::SIGSTOP).is_ok();
            *self.holder() = Holder::Us;
            stopped
        }
    }

    /// Ends the program as a signal does to one that does not listen.
    fn end_now(signal: i32) {
        // A terminal that takes nothing any more is not waited for.
        let (done, given_back) = mpsc::channel();
        let give_back = move || {
            modes::give_back();
            let _ = done.send(());
        };
        if std::thread::Builder::new().spawn(give_back).is_ok() {
            let _ = given_back.recv_timeout(GRACE);
        }
        let _ = emulate_default_handler(signal);
    }

    fn pass_on(pid: Option<u32>, signal: i32) {
        let signal = if signal == SIGHUP { Signal::SIGHUP } else { Signal::SIGTERM };
        if let Some(pid) = pid.and_then(|pid| i32::try_from(pid).ok()).filter(|pid| *pid > 0) {
            // A program that is gone needs no signal.
            let _ = kill(Pid::from_raw(pid), signal);
        }
    }

    /// Whether a shell that knows of jobs waits above us: a parent in the same session, in another process group or with
    /// such a one above it. The first process of a terminal has none.
    pub(super) fn has_shell() -> bool {
        // What was started from outside of our container has the number 0 in it, and to getsid(2) that is ourselves.
        let parent = Some(getppid()).filter(|parent| parent.as_raw() > 0);
        let parents = parent.and_then(|parent| getsid(Some(parent)).ok());
        getsid(None).is_ok_and(|session| session != getpgrp() && parents == Some(session))
    }
}

#[cfg(not(unix))]
impl Signals {
    /// Nothing to listen for.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "as where there are signals")]
    fn hear(self, _: Events) -> io::Result<()> {
        Ok(())
    }

    /// There is no such thing here.
    #[allow(clippy::unused_self, reason = "as where there are signals")]
    pub fn stop(&self) -> bool {
        false
    }
}
