//! Renaming of a channel or a bundle in all files.

use gen_lsp_types::{Position, PrepareRenamePlaceholder, PrepareRenameResult, WorkspaceEdit};

use super::{
    Draft, Encoding, Paper,
    changes::{self, Client, NoChange},
    names::{Named, Occurrence},
    navigate, spot,
};
use crate::{
    catalog::{
        BundleName, Catalog, ChannelName, DocId, FileId, Node, Span, model::DocChange, package::Package,
        text::split,
    },
    edit::{
        Edit, EditError, apply,
        rewrite::{Plain, RewriteError, rewrite},
    },
};

/// Reason why a rename is refused.
#[derive(Debug, thiserror::Error)]
pub enum NoRename {
    /// The position is not on a name.
    #[error("there is no channel or bundle here to rename")]
    Nothing,
    /// Packages cannot be renamed.
    #[error("a package is not renamed: its name is in subscriptions, bundle images and folders too")]
    Package,
    /// A document has a syntax error.
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
    /// A template makes the names.
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
    NoChange(#[from] NoChange),
}

/// Returns the range and the current name of the object to rename at a position.
///
/// # Errors
///
/// Fails if the object at the position cannot be renamed.
pub fn prepare(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    position: Position,
    encoding: Encoding,
) -> Result<PrepareRenameResult, NoRename> {
    let (package, here) = found(draft, file, paper, position, encoding)?;
    let range = spot::range_in(draft, encoding, here.at).ok_or(NoRename::Nothing)?;
    let placeholder = here.named.name(&package.name).to_owned();
    Ok(PrepareRenameResult::PrepareRenamePlaceholder(PrepareRenamePlaceholder { range, placeholder }))
}

/// Returns the edit that renames the object at a position.
///
/// # Errors
///
/// Fails if the object cannot be renamed.
pub fn rename(
    draft: &Draft,
    (file, paper): (FileId, &Paper),
    (position, to): (Position, &str),
    encoding: Encoding,
    client: &Client,
) -> Result<WorkspaceEdit, NoRename> {
    let (package, here) = found(draft, file, paper, position, encoding)?;
    let to = to.trim();
    if to.is_empty() || to.contains(char::is_whitespace) {
        return Err(NoRename::BadName);
    }
    let now = draft.now();
    let renamed = match &here.named {
        _ if here.named.name(&package.name) == to => Catalog::clone(now),
        Named::Package => return Err(NoRename::Package),
        Named::Channel(channel) => renamed_channel(now, package, channel, &ChannelName::from(to))?,
        Named::Bundle(bundle) => renamed_bundle(now, package, bundle, to)?,
    };
    Ok(changes::between(now, &renamed, encoding, client)?)
}

fn found<'d>(
    draft: &'d Draft,
    file: FileId,
    paper: &Paper,
    position: Position,
    encoding: Encoding,
) -> Result<(&'d Package, Occurrence), NoRename> {
    let (package, here) = navigate::at(draft, file, paper, position, encoding).ok_or(NoRename::Nothing)?;
    if here.named == Named::Package {
        return Err(NoRename::Package);
    }
    if package.documents().any(|doc| draft.is_broken(doc)) {
        return Err(NoRename::Broken);
    }
    Ok((package, here))
}

/// Renames a channel with the edit that the explorer uses.
fn renamed_channel(
    catalog: &Catalog,
    package: &Package,
    channel: &ChannelName,
    to: &ChannelName,
) -> Result<Catalog, NoRename> {
    let (package, channel, to) = (package.name.clone(), channel.clone(), to.clone());
    Ok(apply(catalog, &Edit::RenameChannel { package, channel, to })?)
}

fn renamed_bundle(
    catalog: &Catalog,
    package: &Package,
    bundle: &BundleName,
    to: &str,
) -> Result<Catalog, NoRename> {
    if catalog.template().is_some() {
        return Err(NoRename::Template);
    }
    if package.bundle(to).is_some() {
        return Err(NoRename::Taken(to.to_owned()));
    }
    let blob = package.bundle(bundle.as_str()).ok_or_else(|| NoRename::NoBundle(bundle.clone()))?;
    if blob.has_objects {
        return Err(NoRename::HasManifests(bundle.clone()));
    }
    let all = navigate::all_of(catalog, package, &Named::Bundle(bundle.clone()));
    let mut documents: Vec<DocId> = all.iter().map(|occurrence| occurrence.at.doc).collect();
    documents.dedup();
    let mut changes = Vec::new();
    for doc in documents {
        let places: Vec<_> =
            all.iter().filter(|other| other.at.doc == doc).map(|other| other.at.span).collect();
        changes.push(DocChange::Replace { doc, text: with_name(catalog, doc, &places, to)? });
    }
    Ok(catalog.with_changes(changes).0)
}

/// Renames at some spans of a document, and checks the meaning of the result.
fn with_name(catalog: &Catalog, doc: DocId, places: &[Span], to: &str) -> Result<Vec<u8>, NoRename> {
    let (Some(format), Some(text)) = (catalog.format(doc), catalog.text(doc)) else {
        return Err(NoRename::Broken);
    };
    let tree = split::parse(format, text).map_err(|_| NoRename::Broken)?;
    let mut plain = Plain::from(&tree);
    put(&tree, &mut plain, places, to);
    Ok(rewrite(format, text, &tree, &plain).map_err(|error| NoRename::Rewrite { error })?.text)
}

/// Replaces strings at spans of a tree, without recursion.
fn put(tree: &Node<'_>, plain: &mut Plain, places: &[Span], to: &str) {
    let mut waiting = vec![(tree, plain)];
    while let Some((node, plain)) = waiting.pop() {
        if node.as_str().is_some() && places.contains(&node.span) {
            *plain = Plain::from(to);
            continue;
        }
        if let Plain::List(items) = plain {
            waiting.extend(node.items().iter().zip(items));
        } else if let Plain::Map(members) = plain {
            let known = |key: &str| {
                node.members().iter().rev().find(|member| member.key == key).map(|member| &member.value)
            };
            waiting.extend(members.iter_mut().filter_map(|(key, value)| Some((known(key)?, value))));
        }
    }
}
