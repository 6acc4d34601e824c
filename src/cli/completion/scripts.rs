//! Scripts that ask olmap for candidates.

use clap_complete::env::{Elvish, EnvCompleter, Powershell};

use super::{Shell, VARIABLE};

const BASH: &str = include_str!("../../../assets/completions/olmap.bash");
const ZSH: &str = include_str!("../../../assets/completions/_olmap");
const FISH: &str = include_str!("../../../assets/completions/olmap.fish");
const KUBECTL: &str = include_str!("../../../assets/completions/kubectl_complete-olmap");

/// Name of the program in the scripts.
const PROGRAM: &str = "olmap";

/// Returns the script for a shell.
pub fn completion_script(shell: Shell) -> anyhow::Result<String> {
    Ok(match shell {
        Shell::Bash => BASH.to_owned(),
        Shell::Zsh => ZSH.to_owned(),
        Shell::Fish => FISH.to_owned(),
        Shell::Kubectl => KUBECTL.to_owned(),
        Shell::Elvish => registration_script(&Elvish)?,
        Shell::Powershell => registration_script(&Powershell)?,
    })
}

/// Returns the script of `clap_complete` for a shell.
fn registration_script(shell: &dyn EnvCompleter) -> anyhow::Result<String> {
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    Ok(String::from_utf8_lossy(&script).trim_start().to_owned())
}
