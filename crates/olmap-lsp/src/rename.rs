//! Renaming of a channel or a bundle in all files.

use gen_lsp_types::{Position, PrepareRenamePlaceholder, PrepareRenameResult, WorkspaceEdit};

use super::{
    DraftCatalog, Encoding, TextDocument,
    changes::{self, ChangeError, Client},
    location,
    names::{NamedObject, Occurrence},
    navigate,
};
use olm_catalog::{
    BundleName, Catalog, ChannelName, DocId, FileId, Node, Span, model::DocChange, package::Package,
    text::split,
};
use olm_edit::{
    Edit, EditError, apply_edit,
    rewrite::{RewriteError, ValueTree, rewrite_text},
};

/// Reason why a rename is refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenameError {
    /// The position is not on a name.
    #[error("there is no channel or bundle here to rename")]
    Nothing,
    /// Packages cannot be renamed.
    #[error("a package is not renamed: its name is in subscriptions, bundle images and folders too")]
    Package,
    /// A document of the package has a syntax error.
    #[error("a document here cannot be read: fix it first")]
    Broken,
    /// The new name is empty or contains white space.
    #[error("a name is needed, without blanks")]
    BadName,
    /// The name is already used.
    #[error("{0} already exists")]
    Taken(String),
    /// The bundle does not exist in the catalog.
    #[error("{0} is not a bundle of this catalog: only entries name it")]
    NoBundle(BundleName),
    /// The embedded manifests would keep the old name.
    #[error(
        "{0} carries its manifests, whose ClusterServiceVersion has that name: rename it in the bundle and render it again"
    )]
    HasManifests(BundleName),
    /// The catalog is a template, which computes the names.
    #[error("what a template makes is not renamed: rename it in the bundle, or edit the template")]
    Template,
    /// The edit failed.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The document cannot be edited reliably.
    #[error("{error}. {}", error.hint())]
    Rewrite {
        /// Reason of the failure.
        error: RewriteError,
    },
    /// The edit cannot be sent to the client.
    #[error(transparent)]
    NoChange(#[from] ChangeError),
}

/// Returns the range and the current name of the object to rename at a position.
///
/// # Errors
///
/// Fails if the object at the position cannot be renamed.
pub fn prepare_rename(
    draft: &DraftCatalog,
    (file, paper): (FileId, &TextDocument),
    position: Position,
    encoding: Encoding,
) -> Result<PrepareRenameResult, RenameError> {
    let (package, here) = find_renamable(draft, file, paper, position, encoding)?;
    let range = location::to_current_range(draft, encoding, here.at).ok_or(RenameError::Nothing)?;
    let placeholder = here.named.name(&package.name).to_owned();
    Ok(PrepareRenameResult::PrepareRenamePlaceholder(PrepareRenamePlaceholder { range, placeholder }))
}

/// Returns the edit that renames the object at a position.
///
/// # Errors
///
/// Fails if the object cannot be renamed.
pub fn rename_at(
    draft: &DraftCatalog,
    (file, paper): (FileId, &TextDocument),
    (position, to): (Position, &str),
    encoding: Encoding,
    client: &Client,
) -> Result<WorkspaceEdit, RenameError> {
    let (package, here) = find_renamable(draft, file, paper, position, encoding)?;
    let to = to.trim();
    if to.is_empty() || to.contains(char::is_whitespace) {
        return Err(RenameError::BadName);
    }
    let now = draft.current();
    let renamed = match &here.named {
        _ if here.named.name(&package.name) == to => Catalog::clone(now),
        NamedObject::Package => return Err(RenameError::Package),
        NamedObject::Channel(channel) => apply_channel_rename(now, package, channel, &ChannelName::from(to))?,
        NamedObject::Bundle(bundle) => apply_bundle_rename(now, package, bundle, to)?,
    };
    Ok(changes::diff_catalogs(now, &renamed, encoding, client)?)
}

/// Returns the name at a position, with its package, if it can be renamed.
fn find_renamable<'d>(
    draft: &'d DraftCatalog,
    file: FileId,
    document: &TextDocument,
    position: Position,
    encoding: Encoding,
) -> Result<(&'d Package, Occurrence), RenameError> {
    let (package, here) =
        navigate::occurrence_at(draft, file, document, position, encoding).ok_or(RenameError::Nothing)?;
    if here.named == NamedObject::Package {
        return Err(RenameError::Package);
    }
    if package.documents().any(|doc| draft.is_broken(doc)) {
        return Err(RenameError::Broken);
    }
    Ok((package, here))
}

/// Renames a channel with the edit that the explorer uses.
fn apply_channel_rename(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Catalog, RenameError> {
    let (package, channel, to) = (package.name.clone(), channel.clone(), to.clone());
    Ok(apply_edit(catalog, &Edit::RenameChannel { package, channel, to })?)
}

/// Renames a bundle at its definition and at each reference.
fn apply_bundle_rename(
    catalog: &Catalog,
    package: &Package,
    bundle: &BundleName,
    to: &str,
) -> Result<Catalog, RenameError> {
    if catalog.template().is_some() {
        return Err(RenameError::Template);
    }
    if package.bundle(to).is_some() {
        return Err(RenameError::Taken(to.to_owned()));
    }
    let blob = package.bundle(bundle.as_str()).ok_or_else(|| RenameError::NoBundle(bundle.clone()))?;
    if blob.has_objects {
        return Err(RenameError::HasManifests(bundle.clone()));
    }
    let all = navigate::find_occurrences(catalog, package, &NamedObject::Bundle(bundle.clone()));
    let mut documents: Vec<DocId> = all.iter().map(|occurrence| occurrence.at.doc).collect();
    documents.dedup();
    let mut changes = Vec::new();
    for doc in documents {
        let places: Vec<_> =
            all.iter().filter(|other| other.at.doc == doc).map(|other| other.at.span).collect();
        changes.push(DocChange::Replace { doc, text: rename_spans(catalog, doc, &places, to)? });
    }
    Ok(catalog.with_changes(changes).0)
}

/// Replaces the names at some spans of a document. Fails if the new text would differ in more than
/// these names.
fn rename_spans(catalog: &Catalog, doc: DocId, places: &[Span], to: &str) -> Result<Vec<u8>, RenameError> {
    let (Some(format), Some(text)) = (catalog.format(doc), catalog.document_text(doc)) else {
        return Err(RenameError::Broken);
    };
    let tree = split::parse_chunk(format, text).map_err(|_| RenameError::Broken)?;
    let mut plain = ValueTree::from(&tree);
    replace_strings(&tree, &mut plain, places, to);
    Ok(rewrite_text(format, text, &tree, &plain).map_err(|error| RenameError::Rewrite { error })?.text)
}

/// Replaces, in `plain`, the strings whose nodes in `tree` are at the given spans. `plain` is the
/// value of `tree`.
fn replace_strings(tree: &Node<'_>, plain: &mut ValueTree, places: &[Span], to: &str) {
    let mut waiting = vec![(tree, plain)];
    while let Some((node, plain)) = waiting.pop() {
        if node.as_str().is_some() && places.contains(&node.span) {
            *plain = ValueTree::from(to);
            continue;
        }
        if let ValueTree::List(items) = plain {
            waiting.extend(node.items().iter().zip(items));
        } else if let ValueTree::Map(members) = plain {
            let known = |key: &str| {
                node.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
            };
            waiting.extend(members.iter_mut().filter_map(|(key, value)| Some((known(key)?, value))));
        }
    }
}
