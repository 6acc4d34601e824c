//! Tests of the explorer without a terminal. They drive `update` and `view` like the runtime: by
//! keys, messages and drawn screens.
//!
//! All tests are in one program, so that the terminal crates are linked once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod about;
mod accepting;
mod add_bundle;
mod against;
mod agreement;
mod apis;
mod away;
mod bundle;
mod catalogs;
mod comparing_bundles;
mod deeds;
mod deprecation_screen;
mod dialogs;
mod elsewhere;
mod every_action;
mod expecting;
mod exports;
mod fetching;
#[path = "../cli/hostile/files.rs"]
#[allow(dead_code, reason = "the command line uses all of it")]
mod files;
mod fixes;
#[path = "../support/git.rs"]
mod git;
mod gone;
mod graph;
mod growing;
mod highlighted;
mod history;
mod hostile;
mod keys;
#[path = "../support/large.rs"]
mod large;
mod lists;
mod monkey;
mod mouse;
mod on_cluster;
mod opening;
mod overview;
mod paths;
mod plan;
mod published;
#[path = "../cli/hostile/readers.rs"]
#[allow(dead_code, reason = "the command line uses all of it")]
mod readers;
mod reading;
mod recovery;
mod resolve;
mod returning;
mod safety;
mod screens;
#[path = "../support/shapes.rs"]
mod shapes;
mod side_by_side;
mod sizes;
mod sources;
#[path = "../cli/hostile/strings.rs"]
mod strings;
mod stuck;
#[path = "../support/mod.rs"]
mod support;
mod template;
mod tour;
mod upgrades;
mod waiting;
mod what_if;
#[path = "../support/wild.rs"]
mod wild;
