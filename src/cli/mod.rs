//! One file a subcommand; each is load, ask, export.

use std::process::ExitCode;

use crate::{
    app::{Settings, Source},
    runtime,
    ui::Theme,
};

/// Runs the program on the process arguments.
pub fn main() -> ExitCode {
    let sources: Vec<_> = std::env::args_os().skip(1).map(|p| Source::Path(p.into())).collect();
    let sources = if sources.is_empty() { vec![Source::Demo] } else { sources };
    match runtime::run(sources, Settings::default(), runtime::Look { theme: Theme::terminal() }) {
        Ok(_) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e:#}");
            ExitCode::from(2)
        }
    }
}
