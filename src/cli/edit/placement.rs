//! Options of `promote` and `add-bundle` about the places of a bundle: channels of a catalog, or lists of a semver
//! template.

use clap::{Args, ValueEnum};

use super::{
    BuiltEdit, Message,
    operation::{Edges, resolve_name},
    template::ListName,
};
use crate::cli::{Failure, join_names};
use olm_bundle::NewBundle;
use olm_catalog::{
    BundleName, Catalog, ChannelName, Semver, blob::EntrySpec, load, package::Package, template::semver::List,
};
use olm_edit::{ChannelPlacement, Edit, EditError};
use olm_upgrade::PackageGraph;
use olm_upgrade::placement::{
    ChannelPlacements, ChosenPlacement, CsvConflict, EdgeForm, PlacementChoice, PlacementError,
    PreviousRelease, WantedEdges, WantedPlace,
};
use olm_version::VersionRelease;
use olmap_report::edit::PlacedEntry;

/// Channels and lists that get a bundle, its place in them, and the form of its edges.
#[derive(Debug, Args)]
pub struct PlacementArgs {
    /// Channel that gets the bundle; add-bundle creates it if needed. Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    pub channels: Vec<String>,
    /// Add it to the channels of the release before it, in each catalog; in a semver template, to the
    /// lists of that release.
    #[arg(long)]
    pub like_previous: bool,
    /// List of a semver template that gets the bundle. Can be repeated.
    #[arg(long = "list", value_name = "LIST")]
    lists: Vec<ListName>,
    /// Place in a channel with a higher head [default: what the versions suggest]. Above the head, a
    /// bundle always becomes the head.
    #[arg(long, value_name = "PLACE")]
    placement: Option<PlaceName>,
    /// Let --placement head downgrade users.
    #[arg(long, requires = "placement")]
    allow_downgrade: bool,
    /// Form of its edges [default: like the nearest entry of the channel].
    #[arg(long = "edges", value_name = "FORM")]
    form: Option<FormName>,
}

/// Place below the head of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PlaceName {
    /// New head. Needs --allow-downgrade.
    Head,
    /// Below the next higher entry, which skips it.
    Skipped,
    /// Below the next higher entry, which replaces it.
    Step,
}

/// Form of the edges of a new entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FormName {
    /// The form of the nearest entry of the channel.
    Like,
    /// Only replaces.
    Replaces,
    /// The edges of its ClusterServiceVersion.
    Csv,
}

/// Places of a bundle in the channels of a catalog.
#[derive(Default)]
pub struct ChannelPlaces {
    /// Places for the edit.
    pub wanted: Vec<ChannelPlacement>,
    /// Places that the output shows; without those of invalid channels.
    pub placed: Vec<PlacedEntry>,
    pub messages: Vec<Message>,
}

/// Request for the places of a bundle in the channels of a package.
pub struct PlaceRequest<'a> {
    pub args: &'a PlacementArgs,
    /// Package with the bundle.
    pub graph: &'a PackageGraph,
    pub bundle: &'a BundleName,
    /// Edges of its ClusterServiceVersion.
    pub csv: Option<&'a EntrySpec>,
    /// Edges that the user has given.
    pub given: Option<&'a Edges>,
    /// Channels to create.
    pub new_channels: &'a [String],
    /// Option that creates a channel.
    pub create_option: &'static str,
}

impl PlacementArgs {
    /// Returns true if channels are requested.
    pub fn names_channels(&self) -> bool {
        self.like_previous || !self.channels.is_empty()
    }

    /// Returns true if lists are requested by name.
    pub fn names_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns true if a place or a form of the edges is requested.
    pub fn has_choice(&self) -> bool {
        self.placement.is_some() || self.form.is_some()
    }

    /// Returns true if the edges of the ClusterServiceVersion are requested.
    pub fn wants_csv_edges(&self) -> bool {
        self.form == Some(FormName::Csv)
    }

    /// Returns the error for a catalog if only lists are requested.
    pub fn lists_failure(label: &str) -> Failure {
        Failure::new(format!("{label} is not an olm.semver template: it has channels, not lists"))
            .with_hint("name them with --channel NAME or --like-previous")
    }

    fn to_choice(&self) -> PlacementChoice {
        PlacementChoice {
            place: self.placement.map(|place| match place {
                PlaceName::Head => WantedPlace::Head,
                PlaceName::Skipped => WantedPlace::Skipped,
                PlaceName::Step => WantedPlace::Step,
            }),
            edges: self.form.map(|form| match form {
                FormName::Like => WantedEdges::Like,
                FormName::Replaces => WantedEdges::Replaces,
                FormName::Csv => WantedEdges::Csv,
            }),
            allow_downgrade: self.allow_downgrade,
        }
    }

    /// Returns the edit that adds the image of a bundle to lists of a semver template.
    pub fn build_list_edit(
        &self,
        semver: &Semver,
        label: &str,
        image: &ListedImage,
    ) -> Result<BuiltEdit, Failure> {
        let ListedImage { name, image, version } = image;
        let mut messages = Vec::new();
        let mut lists: Vec<List> = Vec::new();
        for list in self.lists.iter().map(|list| list.to_list()) {
            if !lists.contains(&list) {
                lists.push(list);
            }
        }
        if self.like_previous {
            let previous = version.as_ref().map(|version| semver.lists_of_previous(version));
            let previous = previous.unwrap_or_default();
            let unknown = unknown_versions(semver.count_unknown().0);
            if previous.is_empty() {
                let failure = Failure::new(format!("no release before {name} is in a list"));
                let failure = failure.with_optional_hint(unknown);
                return Err(failure.add_hint("name the lists with --list LIST"));
            }
            messages.extend(unknown.map(Message::warning));
            let names = join_names(previous.iter().map(|list| list.name()));
            messages.push(Message::note(format!("lists of the release before {name}: {names}")));
            for list in
                previous.into_iter().filter(|list| !self.lists.iter().any(|own| own.to_list() == *list))
            {
                if semver.position(list, image).is_some() {
                    messages.push(Message::note(format!("{} already has {name}", list.name())));
                } else {
                    lists.push(list);
                }
            }
            if lists.is_empty() {
                return Err(Failure::new(format!("the lists of the release before {name} already have it")));
            }
        }
        if lists.is_empty() {
            return Err(Failure::new(format!(
                "{label} is an olm.semver template: it has lists, not channels"
            ))
            .with_hint("name them with --list LIST or --like-previous"));
        }
        if self.has_choice() {
            let text =
                format!("opm makes the edges of {label} from versions: --placement and --edges do not apply");
            messages.push(Message::warning(text));
        }
        let edit = Edit::add_to_lists(name, image, &lists);
        Ok(BuiltEdit { edit, placed: Vec::new(), messages })
    }
}

/// Bundle for the lists of a semver template.
pub struct ListedImage {
    pub name: BundleName,
    pub image: String,
    pub version: Option<VersionRelease>,
}

impl ListedImage {
    /// Creates the image of a new bundle.
    pub fn from_new_bundle(new: &NewBundle) -> Self {
        let version = new.parsed_version();
        Self { name: new.name.clone(), image: new.image.clone(), version }
    }
}

impl PlaceRequest<'_> {
    /// Chooses the places of the bundle in the requested channels.
    pub fn choose_places(&self) -> Result<ChannelPlaces, Failure> {
        let mut places = ChannelPlaces::default();
        let mut explicit: Vec<ChannelName> = Vec::new();
        for name in &self.args.channels {
            let channel = ChannelName::from(name.as_str());
            if !explicit.contains(&channel) {
                self.add_explicit_channel(&channel, &mut places)?;
                explicit.push(channel);
            }
        }
        for name in self.new_channels {
            let channel = ChannelName::from(name.as_str());
            if self.graph.channel(name).is_some() || explicit.contains(&channel) {
                return Err(Failure::new(EditError::ChannelExists(channel).to_string())
                    .with_hint(format!("--channel {name} adds the bundle to it")));
            }
            self.add_explicit_channel(&channel, &mut places)?;
            explicit.push(channel);
        }
        if self.args.like_previous {
            self.add_previous_channels(&explicit, &mut places)?;
        }
        Ok(places)
    }

    /// Adds the place in a channel that the user names.
    fn add_explicit_channel(&self, channel: &ChannelName, places: &mut ChannelPlaces) -> Result<(), Failure> {
        match self.choose_place(channel) {
            Ok(place) => {
                if let Some(reservation) = place.reservation {
                    let text = format!("{channel}: {} is {reservation}", self.bundle);
                    places.messages.push(Message::warning(text));
                }
                self.add_place(place, places);
                Ok(())
            }
            Err(error) => {
                // With an explicit `replaces`, a channel needs neither a head nor versions.
                let is_order = matches!(
                    error,
                    PlacementError::InvalidChannel(_)
                        | PlacementError::UnknownVersion(_)
                        | PlacementError::SameVersion(_)
                );
                let given = self.given.filter(|given| is_order && given.replaces.is_some());
                let given = given.ok_or_else(|| self.placement_failure(&error, channel))?;
                let spec = given.apply_to_entry(self.graph, EntrySpec::default());
                places.wanted.push(ChannelPlacement::with_spec(channel.clone(), spec));
                Ok(())
            }
        }
    }

    /// Adds the places in the channels of the release before the bundle.
    fn add_previous_channels(
        &self,
        explicit: &[ChannelName],
        places: &mut ChannelPlaces,
    ) -> Result<(), Failure> {
        let package = &self.graph.package;
        let bundle = self.bundle;
        let unknown = package.bundles.iter().filter(|bundle| bundle.version.is_none()).count();
        let unknown = unknown_versions(unknown);
        let Some(previous) = PreviousRelease::find_previous(package, bundle) else {
            let failure = Failure::new(format!("no release before {bundle} is in a channel"));
            let failure = failure.with_optional_hint(unknown);
            return Err(failure.add_hint("name the channels with --channel NAME"));
        };
        places.messages.extend(unknown.map(Message::warning));
        let of_previous = join_names(previous.channels.iter().map(ChannelName::as_str));
        let of_previous = if previous.channels.is_empty() { "none".to_owned() } else { of_previous };
        let text = format!("channels of {}, the release before {bundle}: {of_previous}", previous.bundle);
        let mut notes = vec![text];
        for channel in previous.channels.iter().filter(|channel| !explicit.contains(channel)) {
            match self.choose_place(channel) {
                Ok(place) => match place.reservation {
                    Some(reservation) => {
                        notes.push(format!("{channel} is not used: {bundle} is {reservation}"));
                    }
                    None => self.add_place(place, places),
                },
                Err(PlacementError::AlreadyThere) => notes.push(format!("{channel} already has {bundle}")),
                Err(error) => return Err(self.placement_failure(&error, channel)),
            }
        }
        for (channel, renamed) in previous.other_version {
            let known = package.channel(renamed.as_str());
            let has_bundle = |known: &olm_catalog::blob::ChannelBlob| {
                known.entries.iter().any(|entry| entry.name.value == *bundle)
            };
            if explicit.contains(&renamed) || known.is_some_and(|known| has_bundle(known)) {
                continue;
            }
            let add = match known {
                Some(_) => format!("add --channel {renamed}"),
                None => format!("add {} {renamed} to create it", self.create_option),
            };
            notes.push(format!("{channel} is named after another version: {add}"));
        }
        if places.wanted.is_empty() {
            let failure = Failure::new(format!("no channel gets {bundle}"));
            return Err(notes.into_iter().fold(failure, Failure::add_hint));
        }
        places.messages.extend(notes.into_iter().map(Message::note));
        Ok(())
    }

    fn choose_place(&self, channel: &ChannelName) -> Result<ChosenPlacement, PlacementError> {
        let places = ChannelPlacements::find_placements(self.graph, channel, self.bundle, self.csv)?;
        let mut choice = self.args.to_choice();
        if choice.place.is_none() && self.given.is_some_and(|given| self.is_above_replaced(given)) {
            choice.place = Some(WantedPlace::Head);
        }
        places.choose_placement(choice)
    }

    /// Returns true if a bundle with a higher version would upgrade to the bundle by the given edges.
    fn is_above_replaced(&self, given: &Edges) -> bool {
        let package = &self.graph.package;
        let Some(own) = package.bundle_version(self.bundle.as_str()) else { return false };
        given.names().any(|name| {
            let name = resolve_name(self.graph, name);
            package.bundle_version(name.as_str()).is_some_and(|other| other.cmp_precedence(own).is_gt())
        })
    }

    fn add_place(&self, mut chosen: ChosenPlacement, places: &mut ChannelPlaces) {
        let place = &mut chosen.place;
        let given = self.given.filter(|given| given.are_given());
        let is_questioned = given.is_none() && chosen.form != EdgeForm::Csv;
        let csv = self.csv.filter(|_| is_questioned);
        if let Some(conflict) = csv.and_then(|csv| CsvConflict::find_conflict(csv, &place.spec)) {
            let text = format!("{}: {conflict}; --edges csv takes what the CSV says", place.channel);
            places.messages.push(Message::warning(text));
        }
        if let Some(given) = given {
            place.spec = given.apply_to_entry(self.graph, std::mem::take(&mut place.spec));
        }
        places.wanted.push(place.clone());
        places.placed.push(PlacedEntry { chosen, has_given_edges: given.is_some() });
    }

    fn placement_failure(&self, error: &PlacementError, channel: &ChannelName) -> Failure {
        let bundle = self.bundle;
        let reason = match error {
            PlacementError::InvalidChannel(reason) => format!("channel {channel} is invalid: {reason}"),
            PlacementError::UnknownVersion(_)
            | PlacementError::SameVersion(_)
            | PlacementError::NoCsvEdges => format!("{bundle} in {channel}: {error}"),
            _ => format!("{bundle} in {channel}: it {error}"),
        };
        let failure = Failure::new(reason);
        let edges = match self.given {
            Some(_) => "or give its edges with --replaces",
            None => "or give its edges with olmap edit add-entry",
        };
        match error {
            PlacementError::Downgrade(_) => failure
                .add_hint(match self.args.placement {
                    Some(_) => "without --placement head it goes below the next higher entry",
                    None => "--replaces or --skip names a bundle with a higher version",
                })
                .add_hint("--placement head --allow-downgrade makes it the head all the same"),
            PlacementError::InvalidChannel(_) => {
                failure.add_hint("olmap validate shows what to fix first").add_hint(edges)
            }
            PlacementError::UnknownVersion(_) => {
                failure.add_hint("also give a catalog that has its bundle").add_hint(edges)
            }
            PlacementError::SameVersion(_) => failure.add_hint(edges.trim_start_matches("or ")),
            PlacementError::NoStep => failure.with_hint("--placement skipped has a place for it"),
            PlacementError::NoCsvEdges => failure.with_hint(
                "leave out --edges csv; a catalog with olm.csv.metadata does not have these edges",
            ),
            _ => failure,
        }
    }
}

/// Returns a message about bundles with unknown versions, one of which may be the release before. `None` if there are
/// none.
fn unknown_versions(count: usize) -> Option<String> {
    let versions = match count {
        0 => return None,
        1 => "the version of 1 bundle is".to_owned(),
        count => format!("the versions of {count} bundles are"),
    };
    Some(format!("{versions} unknown; if this is a template, also give a catalog that has its bundles"))
}

/// Returns the edges of the ClusterServiceVersion of a bundle in a catalog, if the catalog has them.
pub fn csv_edges(catalog: &Catalog, package: &Package, bundle: &BundleName) -> Option<EntrySpec> {
    let text = catalog.document_text(package.bundle(bundle.as_str())?.doc)?;
    NewBundle::from_rendered(&load::from_bytes(text.to_vec()), "").ok()?.own_entry
}
