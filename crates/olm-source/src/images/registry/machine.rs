//! Locations of this machine's registry configuration.

use std::{env, path::PathBuf};

/// Folders and files that podman, skopeo and docker read, and opm with them.
#[derive(Clone, Debug, Default)]
pub struct MachinePaths {
    /// Home directory of the user.
    pub home: Option<PathBuf>,
    /// `$XDG_RUNTIME_DIR/containers`, or its replacement.
    pub runtime: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/containers`.
    pub config: Option<PathBuf>,
    /// `$DOCKER_CONFIG`, or `~/.docker`.
    pub docker: Option<PathBuf>,
    /// `$REGISTRY_AUTH_FILE`.
    pub authfile: Option<PathBuf>,
    /// `$CONTAINERS_REGISTRIES_CONF`.
    pub registries: Option<PathBuf>,
    /// `/etc/containers` and `/usr/share/containers`, in order of priority.
    pub system: Vec<PathBuf>,
    /// Folders with certificates for each registry.
    pub certificates: Vec<PathBuf>,
}

impl MachinePaths {
    /// Returns the locations of this machine.
    pub fn from_environment() -> Self {
        let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = env::home_dir().filter(|home| !home.as_os_str().is_empty());
        let config = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
        let config = config.map(|folder| folder.join("containers"));
        let runtime = variable("XDG_RUNTIME_DIR").map(|folder| folder.join("containers"));
        let system = vec![PathBuf::from("/etc/containers"), PathBuf::from("/usr/share/containers")];
        let certificates = config.iter().map(|folder| folder.join("certs.d"));
        let certificates =
            certificates.chain(["/etc/containers/certs.d".into(), "/etc/docker/certs.d".into()]).collect();
        Self {
            runtime: runtime.or_else(user_runtime_dir),
            docker: variable("DOCKER_CONFIG").or_else(|| Some(home.as_ref()?.join(".docker"))),
            authfile: variable("REGISTRY_AUTH_FILE"),
            registries: variable("CONTAINERS_REGISTRIES_CONF"),
            home,
            config,
            system,
            certificates,
        }
    }
}

/// Returns podman's folder for temporary data if `$XDG_RUNTIME_DIR` is not set.
fn user_runtime_dir() -> Option<PathBuf> {
    #[cfg(unix)]
    let folder = Some(PathBuf::from(format!("/run/containers/{}", nix::unistd::getuid())));
    #[cfg(not(unix))]
    let folder = None;
    folder
}
