//! What runs olmap in the CI of catalog repositories: the GitHub Action, the GitLab template, the Tekton task and the pre-commit
//! hooks, each run as its runner would, on the sample repository; and checks of what a change touches.

#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test says by panicking that something is wrong")]

mod action;
mod changed;
#[path = "../support/git.rs"]
mod git;
mod github;
mod gitlab;
mod hooks;
mod sample;
mod scripts;
mod tekton;
