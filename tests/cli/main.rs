//! Tests of the program by its arguments, output and exit codes.

#![allow(clippy::unwrap_used)]

mod add_bundle;
mod apis;
mod baseline;
mod batch;
mod broken_inputs;
mod bundle;
mod bundle_images;
mod bundle_step;
mod bundle_suites;
mod claims;
mod cluster;
mod cluster_catalogs;
mod cluster_catalogs_path;
mod cluster_catalogs_readiness;
#[cfg(target_os = "linux")]
mod completions;
mod compose;
mod configuration;
mod consoles;
mod crds;
mod deprecations;
mod diff;
mod discovered;
mod doctor;
mod edit;
mod expect;
mod explain;
mod explore;
mod extract;
mod formats;
mod generate;
#[path = "../support/git.rs"]
mod git;
mod git_drivers;
mod graph;
mod half_read;
mod history;
mod hostile;
mod images;
mod installer_role;
#[path = "../support/large.rs"]
mod large;
#[cfg(unix)]
mod links;
mod list;
mod log;
mod lsp;
mod man;
mod many;
mod mirror;
mod operator_files;
mod opm_habits;
mod output;
#[cfg(unix)]
mod output_links;
mod overview;
mod page;
mod path;
mod placement;
mod plan;
#[cfg(unix)]
mod planted;
mod range;
mod readiness;
mod registry;
mod render;
mod report;
mod resolve;
mod revisions;
mod run;
mod safety;
mod schemas;
mod secrets;
mod seed_statements;
mod seeds_bundles;
mod serve;
#[cfg(unix)]
mod side_inputs;
mod stuck;
mod stuck_numbers;
mod successors;
mod template;
mod text;
mod validate;
mod working_directory;
