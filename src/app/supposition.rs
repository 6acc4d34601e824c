//! A supposition that asks for a line of text: what is typed, what would complete it, and what it would lead to.

use tui_input::Input;

use super::{edit_flow, list, model::Model, overlay::Preview, what_if::bundle_meant};
use crate::{
    catalog::{
        BundleName, ChannelName, PackageName,
        blob::{DeprecationTarget, EntrySpec},
    },
    edit::Edit,
    version::{Version, blang::Range},
};

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Supposing {
    /// The lowest version that stays.
    Below,
    /// The skipRange of an entry.
    SkipRange {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What an entry skips too.
    AlsoSkips {
        /// Its channel.
        channel: ChannelName,
        /// The entry.
        entry: BundleName,
        /// What it asks for now.
        spec: EntrySpec,
    },
    /// What users are told of something deprecated.
    Deprecated(DeprecationTarget),
}

/// The question.
#[derive(Debug)]
pub struct Supposition {
    /// The package.
    pub package: PackageName,
    /// What is asked.
    pub asked: Supposing,
    /// What is typed.
    pub input: Input,
    /// What would complete it.
    pub proposals: Vec<String>,
    /// What is wrong with it, or what it says.
    pub remark: Result<String, String>,
    /// What it would lead to; `None` while it means nothing, or changes nothing.
    pub preview: Option<Preview>,
}

/// The most proposals.
const MOST: usize = 5;

impl Supposition {
    /// The question with an answer that is there to be changed.
    pub(super) fn new(model: &Model, package: PackageName, asked: Supposing, proposed: String) -> Self {
        let mut question = Self {
            package,
            asked,
            input: Input::new(proposed),
            proposals: Vec::new(),
            remark: Ok(String::new()),
            preview: None,
        };
        question.refresh(model);
        question
    }

    /// The question in words.
    pub fn title(&self) -> String {
        match &self.asked {
            Supposing::Below => format!("What if {} had no versions below", self.package),
            Supposing::SkipRange { channel, entry, .. } => {
                format!("What if the skipRange of {entry} in {channel} were")
            }
            Supposing::AlsoSkips { channel, entry, .. } => {
                format!("What if {entry} in {channel} also skipped")
            }
            Supposing::Deprecated(DeprecationTarget::Package) => {
                format!("What if package {} were deprecated, saying", self.package)
            }
            Supposing::Deprecated(DeprecationTarget::Channel(channel)) => {
                format!("What if channel {channel} were deprecated, saying")
            }
            Supposing::Deprecated(DeprecationTarget::Bundle(bundle)) => {
                format!("What if {bundle} were deprecated, saying")
            }
        }
    }

    /// Works out what the typed text means and leads to.
    pub(super) fn refresh(&mut self, model: &Model) {
        let typed = self.input.value().trim().to_owned();
        self.proposals = self.proposed(model, &typed);
        match self.edit(model, &typed) {
            Ok((edit, remark)) => {
                self.remark = Ok(remark);
                self.preview = edit.map(|edit| edit_flow::preview(model, edit));
            }
            Err(wrong) => {
                self.remark = Err(wrong);
                self.preview = None;
            }
        }
    }

    /// Takes a proposal.
    pub(super) fn complete(&mut self) {
        if let Some(first) = self.proposals.first() {
            self.input = Input::new(first.clone());
        }
    }

    fn edit(&self, model: &Model, typed: &str) -> Result<(Option<Edit>, String), String> {
        let package = self.package.clone();
        let set = |channel: &ChannelName, entry: &BundleName, before: &EntrySpec, spec: EntrySpec| {
            let (package, channel, entry) = (package.clone(), channel.clone(), entry.clone());
            (*before != spec).then_some(Edit::SetEntry { package, channel, entry, spec })
        };
        match &self.asked {
            Supposing::Below => {
                let version = Version::parse(typed).map_err(|error| match error.suggestion {
                    Some(meant) => format!("{}; {meant} is one", error.kind),
                    None => error.kind.to_string(),
                })?;
                let (below, all) = below(model, &version);
                let remark = format!("leaves out {below} of {all} bundles");
                Ok((Some(Edit::LeaveOutBelow { package, version }), remark))
            }
            Supposing::SkipRange { channel, entry, spec } => {
                let range = (!typed.is_empty()).then(|| typed.to_owned());
                let remark = match &range {
                    None => "no skipRange".to_owned(),
                    Some(range) => matches(model, range)?,
                };
                let wanted = EntrySpec { skip_range: range, ..spec.clone() };
                Ok((set(channel, entry, spec, wanted), remark))
            }
            Supposing::AlsoSkips { channel, entry, spec } => {
                if typed.is_empty() {
                    return Ok((None, "a bundle of the package, by its name or its version".to_owned()));
                }
                let Some(name) = bundle_meant(model, typed) else {
                    return Err("no bundle of the package has this name or version".to_owned());
                };
                if name == *entry {
                    return Err("an entry cannot skip itself".to_owned());
                }
                if spec.skips.contains(&name) {
                    return Err(format!("{entry} skips {name} already"));
                }
                let mut wanted = spec.clone();
                wanted.skips.push(name.clone());
                Ok((set(channel, entry, spec, wanted), format!("skips {name}")))
            }
            Supposing::Deprecated(target) => {
                if typed.is_empty() {
                    return Err("a deprecation needs a message: it is all that users see of it".to_owned());
                }
                let (target, message) = (target.clone(), typed.to_owned());
                let remark = match &target {
                    DeprecationTarget::Bundle(_) => {
                        "users see these words; v1 prefers what is not deprecated"
                    }
                    _ => "users see these words; no upgrade changes",
                };
                let remark = remark.to_owned();
                Ok((Some(Edit::Deprecate { package, target, message }), remark))
            }
        }
    }

    fn proposed(&self, model: &Model, typed: &str) -> Vec<String> {
        let Some(package) = model.package().map(|judged| judged.package()) else { return Vec::new() };
        match &self.asked {
            Supposing::Below => {
                let mut versions: Vec<_> =
                    package.bundles.iter().filter_map(|b| b.version.as_ref()).collect();
                versions.sort_by(|a, b| b.cmp_precedence(a));
                let texts = versions.into_iter().map(|v| v.version.to_string());
                let mut texts: Vec<String> = texts.filter(|v| v != typed && v.starts_with(typed)).collect();
                texts.dedup();
                texts.truncate(MOST);
                texts
            }
            Supposing::AlsoSkips { channel, entry, spec } if !typed.is_empty() => {
                let Some(judged) = model.package() else { return Vec::new() };
                let Some(upgrades) = judged.graph.channel(channel.as_str()) else { return Vec::new() };
                let order = crate::layout::order(&upgrades.graph);
                let names = order.into_iter().filter_map(|at| upgrades.graph.node(at)).map(|node| &node.name);
                let fits = |name: &&BundleName| {
                    *name != entry
                        && !spec.skips.contains(name)
                        && *name != typed
                        && list::passes(typed, name.as_str())
                };
                names.filter(fits).take(MOST).map(ToString::to_string).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// How many bundles of the selected package are below a version, of how many.
fn below(model: &Model, version: &Version) -> (usize, usize) {
    let bundles = model.package().map(|p| p.package().bundles.as_slice()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let below = versions.filter(|v| v.version.cmp_precedence(version).is_lt()).count();
    (below, bundles.len())
}

/// What a skipRange holds of the selected package; an error with its column, where it is none.
fn matches(model: &Model, range: &str) -> Result<String, String> {
    let range = Range::parse(range).map_err(|error| format!("column {}: {error}", error.column))?;
    let bundles = model.package().map(|p| p.package().bundles.as_slice()).unwrap_or_default();
    let versions = bundles.iter().filter_map(|b| b.version.as_ref());
    let matched: Vec<String> =
        versions.filter(|v| range.matches(&v.version)).map(ToString::to_string).collect();
    Ok(match matched.as_slice() {
        [] => "matches no bundle of the package".to_owned(),
        some => format!("matches {} of {}: {}", some.len(), bundles.len(), some.join(" ")),
    })
}
