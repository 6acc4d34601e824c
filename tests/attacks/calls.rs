//! Effects of system calls of a traced program on files. The arguments are read from its memory and
//! registers.

use std::{
    ffi::OsString,
    fs::{self, File},
    os::unix::{ffi::OsStringExt as _, fs::FileExt as _},
    path::{Path, PathBuf},
};

use nix::{libc::user_regs_struct, unistd::Pid};

/// Effect of a system call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Call {
    Open { path: PathBuf, fd: u64, makes: bool, empties: bool, is_nameless: bool },
    Close(u64),
    Duplicate { of: u64, fd: u64 },
    Write { fd: u64, at: Option<u64>, bytes: Vec<u8> },
    Cut { fd: u64, length: u64 },
    Flush(u64),
    Rename { from: PathBuf, to: PathBuf },
    Link { from: PathBuf, to: PathBuf },
    Unlink(PathBuf),
    MakeFolder(PathBuf),
    RemoveFolder(PathBuf),
}

/// File descriptor of the current directory.
const AT_FDCWD: i32 = -100;
const CREATE: u64 = 0o100;
const TRUNCATE: u64 = 0o1000;
const NAMELESS: u64 = 0o20_200_000;
const REMOVE_FOLDER: u64 = 0x200;

/// Program that has just returned from a system call.
pub struct StoppedProcess {
    pid: Pid,
    memory: File,
}

impl StoppedProcess {
    pub fn new(pid: Pid) -> Self {
        Self { pid, memory: File::open(format!("/proc/{pid}/mem")).unwrap() }
    }

    /// Returns the effect of a call, from its registers and return value; `None` if it failed or
    /// does not
    /// affect files.
    pub fn decode_call(&self, made: &user_regs_struct, gave: u64) -> Option<Call> {
        if (gave as i64) < 0 {
            return None;
        }
        let [a, b, c, d] = [made.rdi, made.rsi, made.rdx, made.r10];
        let open = |path: PathBuf, flags: u64| Call::Open {
            path,
            fd: gave,
            makes: flags & CREATE != 0,
            empties: flags & TRUNCATE != 0,
            is_nameless: flags & NAMELESS == NAMELESS,
        };
        Some(match made.orig_rax {
            2 => open(self.read_path(AT_FDCWD, a), b),
            257 => open(self.read_path(a as i32, b), c),
            3 => Call::Close(a),
            32 | 33 | 292 => Call::Duplicate { of: a, fd: gave },
            // F_DUPFD and F_DUPFD_CLOEXEC.
            72 if matches!(b, 0 | 1030) => Call::Duplicate { of: a, fd: gave },
            1 => Call::Write { fd: a, at: None, bytes: self.read_bytes(b, gave) },
            18 => Call::Write { fd: a, at: Some(d), bytes: self.read_bytes(b, gave) },
            // writev, sendfile and copy_file_range are not supported: their data would be missed.
            20 | 40 | 326 if a > 2 => panic!("a file is written by system call {}", made.orig_rax),
            77 => Call::Cut { fd: a, length: b },
            74 | 75 => Call::Flush(a),
            82 => Call::Rename { from: self.read_path(AT_FDCWD, a), to: self.read_path(AT_FDCWD, b) },
            264 | 316 => Call::Rename { from: self.read_path(a as i32, b), to: self.read_path(c as i32, d) },
            86 => Call::Link { from: self.read_path(AT_FDCWD, a), to: self.read_path(AT_FDCWD, b) },
            265 => Call::Link { from: self.read_path(a as i32, b), to: self.read_path(c as i32, d) },
            87 => Call::Unlink(self.read_path(AT_FDCWD, a)),
            263 if c & REMOVE_FOLDER != 0 => Call::RemoveFolder(self.read_path(a as i32, b)),
            263 => Call::Unlink(self.read_path(a as i32, b)),
            83 => Call::MakeFolder(self.read_path(AT_FDCWD, a)),
            258 => Call::MakeFolder(self.read_path(a as i32, b)),
            84 => Call::RemoveFolder(self.read_path(AT_FDCWD, a)),
            _ => return None,
        })
    }

    fn read_bytes(&self, at: u64, count: u64) -> Vec<u8> {
        let mut bytes = vec![0; count as usize];
        self.memory.read_exact_at(&mut bytes, at).unwrap();
        bytes
    }

    /// Reads an absolute path from the memory of the program.
    fn read_path(&self, folder: i32, at: u64) -> PathBuf {
        let mut bytes = Vec::new();
        let mut byte = [0];
        while self.memory.read_exact_at(&mut byte, at + bytes.len() as u64).is_ok() && byte[0] != 0 {
            bytes.push(byte[0]);
        }
        let path = PathBuf::from(OsString::from_vec(bytes));
        let from = match folder {
            AT_FDCWD => format!("/proc/{}/cwd", self.pid),
            fd => format!("/proc/{}/fd/{fd}", self.pid),
        };
        let whole =
            if path.is_absolute() { path } else { fs::read_link(from).unwrap_or_default().join(path) };
        whole.iter().filter(|part| *part != Path::new(".")).collect()
    }
}
