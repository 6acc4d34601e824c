//! The files below a folder, in the order in which a directory on disk would be read.

use std::rc::Rc;

use super::{
    links::{Found, Unresolved},
    nodes::{Content, Kind, NodeId, Tree},
};
use crate::{catalog::load::Progress, source::images::error::ImageError};

/// The most bytes of paths that a listing may have together: a million files of some depth.
const MOST_BYTES: usize = 256 << 20;

/// What is below a folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Listed {
    /// A regular file, or a link to one.
    File(Content),
    /// A folder; what is in it follows.
    Folder,
    /// A link to a folder.
    LinkToFolder,
    /// A link to nothing, or to itself.
    BrokenLink,
    /// A device or a pipe, or a link to one.
    Special(&'static str),
}

impl Tree {
    /// Everything below a folder, with paths from there on, in lexical order.
    ///
    /// # Errors
    ///
    /// When the paths are too long together, when links are followed without end, or when somebody asks to stop.
    pub fn list(&self, folder: Found, progress: &Progress) -> Result<Vec<(String, Listed)>, ImageError> {
        let mut all = Vec::new();
        let mut bytes = 0_usize;
        // The path of each on disk would be as long: what is deeper is not there.
        let mut pending: Vec<(Rc<Found>, String, NodeId)> = self.below(&Rc::new(folder), "").collect();
        while let Some((parent, path, node)) = pending.pop() {
            bytes += path.len();
            if bytes > MOST_BYTES {
                return Err(ImageError::TooMuch("the paths in it are too long together".to_owned()));
            }
            progress.check()?;
            self.step(1);
            if self.has_gone_too_far() {
                return Err(ImageError::TooMuch("its links are followed without end".to_owned()));
            }
            let listed = match self.kind(node) {
                Kind::Folder(_) => {
                    let name = path.rsplit('/').next().unwrap_or_default();
                    pending.extend(self.below(&Rc::new(parent.entered(name, node)), &path));
                    Listed::Folder
                }
                Kind::File(content) => Listed::File(content.clone()),
                Kind::Special(what) => Listed::Special(what),
                Kind::Link(target) => match self.follow_from(&parent, target).map(|found| found.node) {
                    Ok(node) => match self.kind(node) {
                        Kind::Folder(_) => Listed::LinkToFolder,
                        Kind::File(content) => Listed::File(content.clone()),
                        Kind::Special(what) => Listed::Special(what),
                        Kind::Link(_) => Listed::BrokenLink,
                    },
                    Err(Unresolved::Missing | Unresolved::NotAFolder | Unresolved::TooManyLinks) => {
                        Listed::BrokenLink
                    }
                },
            };
            all.push((path, listed));
        }
        Ok(all)
    }

    /// The entries of a folder, the last first.
    fn below<'t>(
        &'t self,
        folder: &Rc<Found>,
        path: &str,
    ) -> impl Iterator<Item = (Rc<Found>, String, NodeId)> + use<'t> {
        let path = if path.is_empty() { String::new() } else { format!("{path}/") };
        let folder = Rc::clone(folder);
        let entries = self.entries(folder.node).into_iter().flatten().rev();
        entries.map(move |(name, node)| (Rc::clone(&folder), format!("{path}{name}"), *node))
    }
}
