//! Users with a temporary home directory.

use std::{fs, path::PathBuf, process::Command};

use crate::run::{Run, command, run_with_input};

/// User with an empty home directory.
pub struct User {
    home: tempfile::TempDir,
}

impl User {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    /// Returns a path in the home directory.
    pub fn home_path(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    pub fn write_file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.home_path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Returns the program with this home directory. Only the registry configuration of the system
    /// remains.
    pub fn command(&self) -> Command {
        let mut command = command();
        for name in [
            "DOCKER_CONFIG",
            "REGISTRY_AUTH_FILE",
            "CONTAINERS_REGISTRIES_CONF",
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "no_proxy",
        ] {
            command.env_remove(name);
        }
        command.env("HOME", self.home.path());
        for (name, folder) in
            [("XDG_CONFIG_HOME", "config"), ("XDG_CACHE_HOME", "cache"), ("XDG_STATE_HOME", "state")]
        {
            command.env(name, self.home_path(folder));
        }
        command.env("XDG_RUNTIME_DIR", self.home_path("run"));
        command
    }

    pub fn run_olmap(&self, args: &[&str]) -> Run {
        run_with_input(self.command().args(args), b"")
    }
}
