//! Application of edits: from names to documents, and to the bytes of those documents.

mod bundle;
mod channel;
mod deprecation;
mod document;
mod entry;
mod error;
mod keep_only;
mod layout;
mod new_bundle;
mod new_document;
mod new_package;
mod package;
mod semver;
mod template;
#[cfg(test)]
mod tests;

pub use error::EditError;

use super::operation::Edit;
use olm_catalog::{BundleName, Catalog, ChannelName, PackageName, blob::ChannelBlob, package::Package};

/// Returns the catalog after an edit. The given catalog does not change.
///
/// # Errors
///
/// If the edit refers to something missing, if the result would be unusable, or if the bytes cannot be edited
/// safely.
pub fn apply_edit(catalog: &Catalog, edit: &Edit) -> Result<Catalog, EditError> {
    match catalog.template() {
        Some(template) => template::apply_to_template(catalog, template, edit),
        None => apply_to_documents(catalog, edit),
    }
}

/// Applies an edit to documents.
fn apply_to_documents(catalog: &Catalog, edit: &Edit) -> Result<Catalog, EditError> {
    match edit {
        Edit::SetEntry { package, channel, entry, spec } => {
            entry::set_entry(catalog, find_channel(catalog, package, channel)?, entry, spec)
        }
        Edit::AddEntry { package, channel, entry, spec } => {
            entry::append_entry(catalog, find_channel(catalog, package, channel)?, entry, spec)
        }
        Edit::RemoveEntry { package, channel, entry } => {
            entry::remove_entry(catalog, find_channel(catalog, package, channel)?, entry)
        }
        Edit::RenameKey { package, channel, entry, from, to } => {
            entry::rename_entry_key(catalog, find_channel(catalog, package, channel)?, entry, from, to)
        }
        Edit::SetDefaultChannel { package, channel } => {
            channel::set_default(catalog, find_package(catalog, package)?, channel)
        }
        Edit::RemoveChannel { package, channel, default } => {
            channel::remove_channel(catalog, find_package(catalog, package)?, channel, default.as_ref())
        }
        Edit::AddChannel { package, channel, entries } => {
            channel::add_channel(catalog, find_package(catalog, package)?, channel, entries)
        }
        Edit::RenameChannel { package, channel, to } => {
            channel::rename_channel(catalog, find_package(catalog, package)?, channel, to)
        }
        Edit::SetDescription { package, description } => {
            package::set_description(catalog, find_package(catalog, package)?, description.as_deref())
        }
        Edit::SetIcon { package, icon } => {
            package::set_icon(catalog, find_package(catalog, package)?, icon.as_ref())
        }
        Edit::AddPackage { package, default_channel, description, icon } => {
            let new = new_package::NewPackage {
                default_channel,
                description: description.as_deref(),
                icon: icon.as_ref(),
            };
            new_package::add_package(catalog, package, &new)
        }
        Edit::AddBundle { package, blob } => {
            new_bundle::add_bundle(catalog, find_package(catalog, package)?, blob)
        }
        Edit::RemoveBundle { package, bundle } => {
            bundle::remove_bundle(catalog, find_package(catalog, package)?, bundle)
        }
        Edit::LeaveOutBelow { package, version } => {
            bundle::remove_bundles_below(catalog, find_package(catalog, package)?, version)
        }
        Edit::Deprecate { package, target, message } => {
            deprecation::deprecate(catalog, find_package(catalog, package)?, target, message)
        }
        Edit::Undeprecate { package, target } => {
            deprecation::undeprecate(catalog, find_package(catalog, package)?, target)
        }
        Edit::KeepOnly { packages } => keep_only::keep_only(catalog, packages),
        Edit::Template { .. } => Err(EditError::NotATemplate),
        Edit::Several { edits, .. } => {
            let mut state = None;
            for edit in edits {
                state = Some(apply_to_documents(state.as_ref().unwrap_or(catalog), edit)?);
            }
            Ok(state.unwrap_or_else(|| catalog.clone()))
        }
    }
}

fn find_package<'a>(catalog: &'a Catalog, name: &PackageName) -> Result<&'a Package, EditError> {
    catalog.package(name.as_str()).map(AsRef::as_ref).ok_or_else(|| EditError::NoPackage(name.clone()))
}

fn find_channel<'a>(
    catalog: &'a Catalog,
    package: &PackageName,
    name: &ChannelName,
) -> Result<&'a ChannelBlob, EditError> {
    find_channel_in(find_package(catalog, package)?, name)
}

fn find_channel_in<'a>(package: &'a Package, name: &ChannelName) -> Result<&'a ChannelBlob, EditError> {
    package.channel(name.as_str()).map(AsRef::as_ref).ok_or_else(|| EditError::NoChannel(name.clone()))
}

fn require_bundle(package: &Package, name: &BundleName) -> Result<(), EditError> {
    package.bundle(name.as_str()).map(|_| ()).ok_or_else(|| EditError::NoBundle(name.clone()))
}
