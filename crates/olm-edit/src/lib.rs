//! Edits of file-based catalogs of Operator Lifecycle Manager (OLM) that keep all other bytes, and crash-safe saves.
//!
//! An edit is a value, such as "set the default channel of this package". Applying it returns a new catalog, in
//! which only the necessary bytes of a document differ. Saving writes the changed files. Start with
//! [`EditSession`] for a catalog on disk, and with [`apply_edit`] for a catalog in memory.
//!
//! | to | use |
//! |---|---|
//! | lock, edit, compare and save a catalog on disk | [`EditSession`] |
//! | describe a change | [`Edit`] |
//! | add a package of another catalog | [`Edit::copy_package`] |
//! | withdraw a release, and keep all upgrades | [`Withdrawal::plan`] |
//! | apply it in memory | [`apply_edit`] |
//! | show changed files as a diff | [`diff::compare_files`] |
//! | keep other programs from writing | [`save::DirectoryLock`] |
//! | write the changed files of several catalogs, all or none | [`save::save_catalogs`] |
//! | write a catalog to a new path | [`save::save_copy`] |
//! | find what a save would lose, such as hard links | [`save::catalog_losses`] |
//! | replay an edit on a changed catalog | [`RecordedEdit`] |
//! | transfer an edit between a catalog and its template | [`transfer_edit`] |
//! | let a catalog follow an edit of its template | [`generate_catalog_edit`] |
//! | rewrite any YAML or JSON document | [`rewrite::rewrite_text`] |
//! | merge two versions of a file by meaning | [`merge::merge_versions`] |
//!
//! ```
//! use olm_catalog::load;
//! use olm_edit::{Edit, apply_edit};
//!
//! let text = "\
//! schema: olm.package
//! name: ship
//! defaultChannel: alpha  # until 1.0
//! ---
//! schema: olm.channel
//! package: ship
//! name: stable
//! entries:
//! - name: ship.v1.0.0
//! ";
//! let before = load::from_bytes(text.as_bytes().to_vec());
//! let edit = Edit::SetDefaultChannel { package: "ship".into(), channel: "stable".into() };
//! let after = apply_edit(&before, &edit)?;
//!
//! // One word differs. The comment and the rest of the file stay.
//! let expected = text.replace("alpha", "stable");
//! assert_eq!(after.files()[0].current_bytes(), expected.as_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A session does the same with a catalog on disk, under a lock:
//!
//! ```no_run
//! use olm_edit::{Edit, EditSession};
//!
//! let mut session = EditSession::open("catalog")?;
//! session.apply(&Edit::SetDefaultChannel { package: "ship".into(), channel: "stable".into() })?;
//! for file in session.diff() {
//!     print!("{file}");
//! }
//! println!("{}", session.save()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Guarantees
//!
//! - **Files keep their bytes.** An edit becomes splices: replaced bytes of a document. Comments, order and quotes
//!   elsewhere stay. The result is parsed again and compared with the requested content.
//! - **An edit is data.** [`Edit`] implements `Serialize` and `Deserialize`. It names objects and contains no
//!   positions, so it can be stored and applied to another catalog.
//! - **A save does not lose data.** After a power failure, each file is complete, either old or new. A failed save
//!   writes all files or none. A file that another program changed is not overwritten.
//! - **Only [`save`] and [`EditSession`] have side effects.** Everything else is a pure function.
//! - No input causes a panic. There is no unsafe code.

pub mod apply;
mod bundle_change;
pub mod diff;
pub mod kept_parts;
pub mod merge;
mod new_bundle;
pub mod operation;
mod package_copy;
mod repair;
pub mod replay;
pub mod rewrite;
pub mod save;
mod session;
mod transfer;
mod withdrawal;

pub use apply::{EditError, apply_edit, find_own_folder};
pub use bundle_change::BundleChange;
pub use new_bundle::package_with_bundle;
pub use olm_catalog::blob::ChannelPlacement;
pub use operation::{Edit, TemplateChange};
pub use package_copy::CopyError;
pub use replay::{Batch, Conflict, RecordedEdit};
pub use session::{EditSession, OpenSessionError};
pub use transfer::{generate_catalog_edit, is_generated_from, transfer_edit};
pub use withdrawal::Withdrawal;
