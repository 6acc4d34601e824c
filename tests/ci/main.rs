//! CI integrations for catalog repositories: the GitHub Action, the GitLab template, the Tekton
//! task and the pre-commit hooks. Each runs on the sample repository as its runner would run it.
//! Checks of changes are tested too.

#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test says by panicking that something is wrong")]

mod action;
mod changed;
#[path = "../support/git.rs"]
mod git;
mod github;
mod gitlab;
mod gitlab_server;
mod hooks;
mod sample;
mod scripts;
mod tekton;
