//! Tests of the explorer without a terminal. They drive `update` and `view` like the runtime: by
//! keys, messages and drawn screens.
//!
//! All tests are in one program, so that the terminal crates are linked once.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod about;
mod accepted_findings;
mod agreement;
mod apis;
mod away;
mod base_comparison;
mod bundle;
mod bundle_comparison;
mod catalogs;
mod cluster_catalogs;
mod deeds;
mod deprecation_screen;
mod dialogs;
mod every_action;
mod expecting;
mod exports;
#[path = "../cli/hostile/files.rs"]
#[allow(dead_code, reason = "the command line uses all of it")]
mod files;
mod fixes;
#[path = "../support/git.rs"]
mod git;
mod graph;
mod highlighted_items;
mod history;
mod hostile;
mod image_fetch;
mod installed_operators;
mod keys;
#[path = "../support/large.rs"]
mod large;
mod last_place;
mod lists;
mod menus;
mod monkey;
mod mouse;
mod opening;
mod other_catalogs;
mod package_table;
mod partial_catalogs;
mod path_completion;
mod plan;
mod published;
#[path = "../cli/hostile/readers.rs"]
#[allow(dead_code, reason = "the command line uses all of it")]
mod readers;
mod recovery;
mod release;
mod removed_items;
mod resolve;
mod safety;
mod screens;
mod scrolling;
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
mod wait_state;
mod what_if;
#[path = "../support/wild.rs"]
mod wild;
mod withdrawal;
