//! Choice between the places of a new bundle, and the channels of the release before it.

use super::{
    ChannelPlacements, EdgeForm, Placement, PlacementError, PlacementProposal, Reservation, effective_version,
};
use olm_catalog::{
    BundleName, ChannelName,
    blob::{ChannelPlacement, EntrySpec},
    package::Package,
};
use olm_version::Version;

/// Place below the head of a channel that the user asks for. Above the head, a bundle always becomes the head.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WantedPlace {
    /// New head, which downgrades users.
    Head,
    /// [`Placement::Skipped`]
    Skipped,
    /// [`Placement::Step`]
    Step,
}

/// Form of the edges that the user asks for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WantedEdges {
    /// The form of the nearest entry; only `replaces` if the channel has no form that fits.
    Like,
    /// Only `replaces`.
    Replaces,
    /// The edges of the ClusterServiceVersion.
    Csv,
}

/// Choice of the user for all channels.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlacementChoice {
    /// Place below the head; `None` for the proposed one.
    pub place: Option<WantedPlace>,
    /// Form of the edges; `None` for the proposed one.
    pub edges: Option<WantedEdges>,
    /// True if the user accepts that users are downgraded.
    pub allow_downgrade: bool,
}

/// Chosen place of a bundle in a channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChosenPlacement {
    /// The channel with the edges of all entries that change.
    pub place: ChannelPlacement,
    /// Kind of the place.
    pub placement: Placement,
    /// Form of the edges.
    pub form: EdgeForm,
    /// Next higher entry; `None` if the bundle is the head.
    pub above: Option<BundleName>,
    /// Reason not to place it in this channel by default.
    pub reservation: Option<Reservation>,
}

impl ChannelPlacements {
    /// Returns the place for a choice. The edges are those of the proposal if it has no such form, except for
    /// those of the ClusterServiceVersion.
    ///
    /// # Errors
    ///
    /// Fails if the bundle would downgrade users without permission, if there is no such place in the channel, or if the
    /// ClusterServiceVersion has no edges.
    pub fn choose_placement(&self, choice: PlacementChoice) -> Result<ChosenPlacement, PlacementError> {
        let proposal = self.wanted_proposal(choice)?;
        let of_form = |is_wanted: &dyn Fn(&EdgeForm) -> bool| {
            proposal.forms.iter().find(|(form, _)| is_wanted(form)).cloned()
        };
        let chosen = match choice.edges {
            None => proposal.forms.first().cloned(),
            Some(WantedEdges::Like) => {
                of_form(&|form| matches!(form, EdgeForm::Like(_))).or_else(|| proposal.forms.first().cloned())
            }
            Some(WantedEdges::Replaces) => of_form(&|form| *form == EdgeForm::Replaces),
            Some(WantedEdges::Csv) => {
                Some((EdgeForm::Csv, self.csv.clone().ok_or(PlacementError::NoCsvEdges)?))
            }
        };
        // The plain form is missing only if a preferred form has the same edges.
        let (form, spec) = chosen
            .or_else(|| proposal.forms.first().cloned())
            .unwrap_or((EdgeForm::Replaces, EntrySpec::default()));
        Ok(ChosenPlacement {
            place: ChannelPlacement {
                channel: self.channel.clone(),
                spec,
                changes: proposal.changes.clone(),
            },
            placement: proposal.placement,
            form,
            above: proposal.above.clone(),
            reservation: self.reservation,
        })
    }

    fn wanted_proposal(&self, choice: PlacementChoice) -> Result<&PlacementProposal, PlacementError> {
        let wanted = match choice.place {
            None => None,
            Some(WantedPlace::Head) => self.proposal(Placement::Downgrade),
            Some(WantedPlace::Skipped) => self.proposal(Placement::Skipped),
            Some(WantedPlace::Step) => match self.proposal(Placement::Step) {
                None if self.proposal(Placement::Skipped).is_some() => return Err(PlacementError::NoStep),
                step => step,
            },
        };
        // Above the head, in an empty channel and for named entries there is only one place.
        let proposal = wanted.or(self.proposals.first()).ok_or(PlacementError::NoStep)?;
        match (&self.head, proposal.placement) {
            (Some(head), Placement::Downgrade) if !choice.allow_downgrade => {
                Err(PlacementError::Downgrade(head.clone()))
            }
            _ => Ok(proposal),
        }
    }
}

/// Release before a bundle, and the channels that suit the bundle as well.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PreviousRelease {
    /// Bundle with the next lower version that is in a channel.
    pub bundle: BundleName,
    /// Its channels for the bundle.
    pub channels: Vec<ChannelName>,
    /// Its channels that are named after its version and do not suit the bundle, such as `stable-1.29` for 1.30.0. Each
    /// with the name for the version of the bundle.
    pub other_version: Vec<(ChannelName, ChannelName)>,
}

impl PreviousRelease {
    /// Finds the release before a bundle of the package. `None` if no entry has a lower version. Releases ignore
    /// pre-releases.
    pub fn find_previous(package: &Package, bundle: &BundleName) -> Option<Self> {
        let version = package.bundle_version(bundle.as_str()).map(effective_version)?;
        let mut lower: Vec<_> = package
            .bundles
            .iter()
            .filter_map(|other| {
                let name = &other.name.value;
                Some((package.bundle_version(name.as_str()).map(effective_version)?, name))
            })
            .filter(|(other, _)| other.cmp_precedence(&version).is_lt())
            .filter(|(other, _)| version.version.is_prerelease() || !other.version.is_prerelease())
            .collect();
        lower.sort_by(|a, b| b.0.cmp_precedence(&a.0));
        let (before, name) =
            lower.into_iter().find(|(_, name)| package.channels_with(name).next().is_some())?;
        let mut previous = Self { bundle: name.clone(), channels: Vec::new(), other_version: Vec::new() };
        for channel in package.channels_with(name).map(|channel| &channel.name.value) {
            match rename_for_version(channel.as_str(), &before.version, &version.version) {
                Some(renamed) => previous.other_version.push((channel.clone(), renamed.into())),
                None => previous.channels.push(channel.clone()),
            }
        }
        Some(previous)
    }
}

/// Returns the name of a channel for another version, if its name ends with the minor version of the release before, or
/// with more of its numbers: `stable-1.30` for `stable-1.29`, 1.29.3 and 1.30.0. `None` if the channel suits both versions.
fn rename_for_version(channel: &str, before: &Version, version: &Version) -> Option<String> {
    let name = channel.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let numbers = channel.strip_prefix(name)?;
    let count = numbers.split('.').count();
    let first_numbers = |version: &Version| {
        let text = version.to_string();
        let core = text.split(['-', '+']).next().unwrap_or_default();
        core.split('.').take(count).collect::<Vec<_>>().join(".")
    };
    let own = first_numbers(version);
    (count > 1 && first_numbers(before) == numbers && own != numbers).then(|| format!("{name}{own}"))
}

/// Contradiction between the CSV and the edges from the channel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CsvConflict {
    /// The CSV replaces a bundle other than the entry.
    #[error("the CSV replaces {asked}, the entry {replaced}")]
    OtherBundle {
        /// Bundle that the CSV replaces.
        asked: BundleName,
        /// Bundle that the entry replaces.
        replaced: BundleName,
    },
    /// The CSV replaces a bundle, but the entry replaces nothing.
    #[error("the CSV replaces {asked}, the entry nothing")]
    Nothing {
        /// Bundle that the CSV replaces.
        asked: BundleName,
    },
    /// The CSV has edges that the entry would not get.
    #[error("the CSV also asks for {}", .0.join(" and "))]
    Dropped(Vec<&'static str>),
}

impl CsvConflict {
    /// Compares the edges of a ClusterServiceVersion with those of the entry. `None` if the entry has them all.
    pub fn find_conflict(csv: &EntrySpec, spec: &EntrySpec) -> Option<Self> {
        if let Some(asked) = csv.replaces.clone().filter(|_| csv.replaces != spec.replaces) {
            return Some(match spec.replaces.clone() {
                None => Self::Nothing { asked },
                Some(replaced) => Self::OtherBundle { asked, replaced },
            });
        }
        let mut dropped = Vec::new();
        if csv.skips.iter().any(|skip| !spec.skips.contains(skip)) {
            dropped.push("skips");
        }
        if csv.skip_range.is_some() && csv.skip_range != spec.skip_range {
            dropped.push("skipRange");
        }
        (!dropped.is_empty()).then_some(Self::Dropped(dropped))
    }
}
