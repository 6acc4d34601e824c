//! Runs of a program under ptrace in which one system call fails, or before which the program is
//! killed.

use std::{
    io::Read as _,
    os::unix::process::ExitStatusExt as _,
    process::{Command, ExitStatus, Stdio},
};

use nix::{
    errno::Errno,
    libc::user_regs_struct,
    sys::{
        ptrace,
        signal::{Signal, kill},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    unistd::Pid,
};

use super::calls::{Call, StoppedProcess};

/// Attack on a system call.
#[derive(Clone, Copy, Debug)]
pub enum Attack {
    /// The call fails; later calls of the same kind succeed.
    Once(Errno),
    /// The call and every later call with the same number fail.
    ForEver(Errno),
    /// The program is killed before the call.
    Kill,
}

/// Result of a traced run.
pub struct TracedRun {
    pub status: ExitStatus,
    pub err: String,
    /// Numbers of the system calls on files in the main thread, in order.
    pub calls: Vec<u64>,
    /// Effects of successful system calls since the start of the program.
    pub done: Vec<Call>,
}

const FLOCK: u64 = 73;

/// Numbers of system calls on files on x86-64. Memory, threads and signals are excluded, because a
/// program without memory cannot handle that. So is `close`, because the standard library panics if
/// it fails on a directory.
const FILE_CALLS: [u64; 42] = [
    0, 1, 2, 4, 5, 6, 8, 16, 17, 18, 21, 72, 73, 74, 75, 76, 77, 78, 79, 80, 82, 83, 84, 86, 87, 88, 89, 90,
    91, 92, 93, 188, 190, 191, 193, 217, 257, 258, 262, 263, 264, 332,
];

/// Returns true if a call is about files, including newer calls: linkat, unlinkat, fchmodat and
/// similar calls are between 257 and 268, renameat2 is 316, faccessat2 is 439.
fn is_file_call(call: u64) -> bool {
    FILE_CALLS.contains(&call) || matches!(call, 257..=269 | 316 | 439)
}

/// Runs a program and attacks one of its system calls on files; `None` if tracing is not permitted.
pub fn run_traced(program: &Command, attack: Option<(usize, Attack)>) -> Option<TracedRun> {
    // A shell stops itself, is seized, and executes the program.
    let mut shell = Command::new("sh");
    shell
        .args(["-c", "kill -STOP $$; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args());
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    if let Some(folder) = program.get_current_dir() {
        shell.current_dir(folder);
    }
    let mut child = shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
    if ptrace::attach(pid).is_err() {
        child.kill().unwrap();
        child.wait().unwrap();
        return None;
    }
    waitpid(pid, None).unwrap();
    let options = ptrace::Options::PTRACE_O_TRACESYSGOOD
        | ptrace::Options::PTRACE_O_TRACEEXEC
        | ptrace::Options::PTRACE_O_EXITKILL;
    ptrace::setoptions(pid, options).unwrap();
    kill(pid, Signal::SIGCONT).unwrap();
    let mut err = child.stderr.take().unwrap();
    let err = std::thread::spawn(move || {
        let mut text = String::new();
        err.read_to_string(&mut text).unwrap();
        text
    });
    let (status, calls, done) = trace_calls(pid, attack);
    // The process has already been waited for; this only updates `child`.
    let _ = child.wait();
    Some(TracedRun { status, err: err.join().unwrap(), calls, done })
}

/// Steps through the system calls until the program ends.
fn trace_calls(pid: Pid, attack: Option<(usize, Attack)>) -> (ExitStatus, Vec<u64>, Vec<Call>) {
    let (mut is_program, mut has_begun, mut is_inside, mut failing) = (false, false, false, None);
    let mut for_ever: Option<(u64, Errno)> = None;
    let (mut calls, mut done) = (Vec::new(), Vec::new());
    let mut made: Option<(StoppedProcess, user_regs_struct)> = None;
    let mut signal = None;
    loop {
        // If the process was killed meanwhile, the wait below notices it.
        let _ = ptrace::syscall(pid, signal.take());
        match waitpid(pid, None).unwrap() {
            WaitStatus::Exited(_, code) => return (ExitStatus::from_raw(code << 8), calls, done),
            WaitStatus::Signaled(_, signal, _) => {
                return (ExitStatus::from_raw(signal as i32), calls, done);
            }
            // The end of exec is the end of a system call of the shell.
            WaitStatus::PtraceEvent(..) => (is_program, is_inside) = (true, true),
            WaitStatus::PtraceSyscall(_) if is_program => {
                is_inside = !is_inside;
                let Ok(mut registers) = ptrace::getregs(pid) else { continue };
                if !is_inside {
                    if let Some((stopped, made)) = made.take() {
                        done.extend(stopped.decode_call(&made, registers.rax));
                    }
                    if let Some(errno) = failing.take() {
                        registers.rax = (-i64::from(errno as i32)) as u64;
                        ptrace::setregs(pid, registers).unwrap();
                    }
                    continue;
                }
                made = attack.is_none().then(|| (StoppedProcess::new(pid), registers));
                let call = registers.orig_rax;
                // Before the program locks its files, it only loads them.
                has_begun |= call == FLOCK;
                if !has_begun || !is_file_call(call) {
                    continue;
                }
                let at = calls.len();
                calls.push(call);
                match attack {
                    Some((wanted, Attack::Kill)) if wanted == at => kill(pid, Signal::SIGKILL).unwrap(),
                    Some((wanted, Attack::Once(errno))) if wanted == at => failing = Some(errno),
                    Some((wanted, Attack::ForEver(errno))) if wanted == at => {
                        for_ever = Some((call, errno));
                    }
                    _ => {}
                }
                failing = failing.or_else(|| for_ever.filter(|(of, _)| *of == call).map(|(_, errno)| errno));
                if failing.is_some() {
                    // No system call has this number, so the kernel does nothing.
                    registers.orig_rax = u64::MAX;
                    ptrace::setregs(pid, registers).unwrap();
                }
            }
            WaitStatus::Stopped(_, Signal::SIGSTOP | Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, other) => signal = Some(other),
            _ => {}
        }
    }
}
