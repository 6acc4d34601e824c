//! `olmap edit template`: edits of lists and settings of a semver template. Also compares edited catalogs with
//! their templates.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{ArgAction, Subcommand, ValueEnum};

use super::operation::Operation;
use super::{AppliedEdit, BuiltEdit, Input, Message, Where};
use crate::cli::{Failure, Out};
use olm_bundle::template::{Options, TemplateDocument};
use olm_catalog::load::{self, quotable, regular_file};
use olm_catalog::package::Package;
use olm_catalog::template::semver::{ChannelKind, List};
use olm_catalog::text::canonical::{self, RenderFormat};
use olm_catalog::{Catalog, Node, Origin, TemplateSource, similar_names};
use olm_check::review::template::{Agreement, compare_catalog};
use olm_edit::{Edit, TemplateChange};
use olm_source::read_new_bundle;
use olmap_report::template::{BundleTexts, render_command};

/// Operation on a semver template.
#[derive(Debug, Subcommand)]
pub enum TemplateOperation {
    /// Add a bundle image to a list.
    Add {
        /// Image, or name of a bundle in a catalog.
        image: String,
        /// List.
        #[arg(long, value_name = "LIST")]
        list: ListName,
        /// Bundle that no catalog has: its directory, or a file with its olm.bundle as opm render
        /// prints it.
        #[arg(long, value_name = "BUNDLE")]
        from: Option<PathBuf>,
        #[command(flatten)]
        where_: Where,
    },
    /// Remove a bundle image from a list.
    Remove {
        /// Image, or name of its bundle.
        image: String,
        /// List.
        #[arg(long, value_name = "LIST")]
        list: ListName,
        #[command(flatten)]
        where_: Where,
    },
    /// Move a bundle image from one list to another. --to names the list; --to-path is the place to
    /// write the catalog.
    #[command(mut_arg("target", |option| option.long("to-path")))]
    Move {
        /// Image, or name of its bundle.
        image: String,
        /// List that has it.
        #[arg(long, value_name = "LIST")]
        from: ListName,
        /// List that gets it.
        #[arg(long, value_name = "LIST")]
        to: ListName,
        #[command(flatten)]
        where_: Where,
    },
    /// Set which channels are generated, and which kind is preferred as default.
    Channels {
        /// Generate major channels (v1).
        #[arg(long, value_name = "true|false", action = ArgAction::Set, required_unless_present_any = ["minor", "prefer"])]
        major: Option<bool>,
        /// Generate minor channels (v1.2).
        #[arg(long, value_name = "true|false", action = ArgAction::Set)]
        minor: Option<bool>,
        /// Prefer this kind as default channel.
        #[arg(long, value_name = "KIND")]
        prefer: Option<Preference>,
        #[command(flatten)]
        where_: Where,
    },
}

/// List of a semver template.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ListName {
    /// Bundles for testing.
    Candidate,
    /// Bundles for early adopters.
    Fast,
    /// Bundles for all users.
    Stable,
}

/// Preferred kind of channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Preference {
    /// `stable-v1`
    Major,
    /// `stable-v1.2`
    Minor,
    /// No preference.
    None,
}

impl ListName {
    pub(super) fn to_list(self) -> List {
        match self {
            Self::Candidate => List::Candidate,
            Self::Fast => List::Fast,
            Self::Stable => List::Stable,
        }
    }
}

impl TemplateOperation {
    /// Returns the arguments about catalogs and output.
    pub fn shared_args(&self) -> &Where {
        match self {
            Self::Add { where_, .. }
            | Self::Remove { where_, .. }
            | Self::Move { where_, .. }
            | Self::Channels { where_, .. } => where_,
        }
    }

    /// Adds the given bundle to the bundles that the template knows.
    ///
    /// # Errors
    ///
    /// Fails if the bundle cannot be read.
    pub fn with_given_bundle(&self, catalog: Catalog) -> Result<Catalog, Failure> {
        let Self::Add { image, from: Some(from), .. } = self else { return Ok(catalog) };
        let new = read_new_bundle(from, image)
            .map_err(|error| Failure::new(error.to_string()).with_optional_hint(error.hint()))?;
        Ok(catalog.with_known_bundles_of(&new.to_catalog()))
    }

    /// Returns the edit of a template.
    ///
    /// # Errors
    ///
    /// Fails if the catalog is not a semver template.
    pub fn build_edit(&self, catalog: &Catalog) -> Result<Edit, Failure> {
        let Some(semver) = catalog.template().and_then(|template| template.semver()) else {
            let reason = format!("{} is not an olm.semver template", catalog.origin.label());
            return Err(
                Failure::new(reason).with_hint("in a catalog, and in a basic template, edit the channels")
            );
        };
        // Templates identify a bundle by its image.
        let image = |named: &str| -> Result<String, Failure> {
            let listed = List::ALL.into_iter().find_map(|list| semver.find_image(list, named));
            let known = listed.or_else(|| catalog.known_image(named)).map(str::to_owned);
            match known {
                Some(image) => Ok(image),
                None if named.contains(['/', ':', '@']) => Ok(named.trim().to_owned()),
                None => Err(unknown_bundle_failure(catalog, named)),
            }
        };
        let change = |change| Edit::Template { change };
        Ok(match self {
            Self::Add { image: named, list, .. } => {
                change(TemplateChange::AddImage { list: list.to_list(), image: image(named)? })
            }
            Self::Remove { image: named, list, .. } => {
                change(TemplateChange::RemoveImage { list: list.to_list(), image: image(named)? })
            }
            Self::Move { image: named, from, to, .. } => {
                let (from, to) = (from.to_list(), to.to_list());
                change(TemplateChange::MoveImage { from, to, image: image(named)? })
            }
            Self::Channels { major, minor, prefer, .. } => {
                let generate = |kind, generate: &Option<bool>| {
                    generate.map(|generate| TemplateChange::Generate { kind, generate })
                };
                let prefer = prefer.map(|prefer| TemplateChange::Prefer {
                    kind: match prefer {
                        Preference::Major => Some(ChannelKind::Major),
                        Preference::Minor => Some(ChannelKind::Minor),
                        Preference::None => None,
                    },
                });
                let changes =
                    [generate(ChannelKind::Major, major), generate(ChannelKind::Minor, minor), prefer];
                let mut edits: Vec<Edit> = changes.into_iter().flatten().map(change).collect();
                if edits.len() == 1 {
                    edits.remove(0)
                } else {
                    let titles: Vec<String> = edits.iter().map(Edit::title).collect();
                    Edit::Several { title: titles.join(", "), edits }
                }
            }
        })
    }
}

/// Returns the error for an unknown bundle, with a suggestion.
pub(super) fn unknown_bundle_failure(catalog: &Catalog, named: &str) -> Failure {
    let own =
        catalog.packages().flat_map(|package| &package.bundles).map(|bundle| bundle.name.value.as_str());
    let names: Vec<&str> = own.chain(catalog.known_bundle_names()).collect();
    let failure = Failure::new(format!("no bundle {named} is known"));
    match similar_names::suggest_closest(named, names.into_iter()) {
        Some(meant) => failure.with_hint(format!("did you mean {meant}?")),
        None => failure.with_hint("give its image, or open a catalog that has it with --bundles"),
    }
}

/// Maximum size of a template in bytes.
const MAX_TEMPLATE: u64 = 256 << 20;

/// Returns the edit of a catalog that follows its edited semver template. `None` if the catalog has no such template, if
/// the operation does not release or withdraw a bundle, or if the template did not generate the catalog before.
pub(super) fn follow_templates(
    catalog: &Catalog,
    works: &[(usize, AppliedEdit)],
    operation: &Operation,
    input: &Input<'_>,
) -> Result<Option<BuiltEdit>, Failure> {
    if !matches!(operation, Operation::AddBundle(_) | Operation::Promote(_) | Operation::Withdraw(_)) {
        return Ok(None);
    }
    let new = match input {
        Input::Bundle(_, new) => Some(&**new),
        Input::None | Input::Text(..) => None,
    };
    for (_, work) in works {
        let sources = catalog.packages().filter_map(|package| catalog.template_source(&package.name));
        let Some(source) = { sources }.find(|source| is_template_of(&work.before.catalog, source)) else {
            continue;
        };
        let edit = olm_edit::generate_catalog_edit(&work.before.catalog, &work.edit, catalog, new)
            .map_err(|error| Failure::new(error.to_string()))?;
        if let Some(edit) = edit {
            let text = format!("the channels are those that {} generates", source.display_path.display());
            return Ok(Some(BuiltEdit { edit, placed: Vec::new(), messages: vec![Message::note(text)] }));
        }
    }
    Ok(None)
}

/// Prints a note for each edited package that its template would generate differently, with the command that
/// generates the package.
pub(super) fn report_templates(works: &[AppliedEdit], out: &Out) {
    for work in works {
        for name in work.after.changed_packages(&work.before) {
            let Some(template) = work.before.catalog.template_source(name) else { continue };
            let edited = works.iter().find(|other| is_template_of(&other.after.catalog, template));
            let package = work.after.catalog.package(name.as_str());
            let text = match edited {
                Some(edited) => edited.after.catalog.files().first().map(|file| file.current_bytes()),
                None => read_template(template),
            };
            let agreement = package
                .zip(text)
                .and_then(|(package, text)| compare_with_template(work, package, template, &text));
            if matches!(agreement, Some(Agreement::Same | Agreement::SameExceptDescription(_))) {
                continue;
            }
            let shown = template.display_path.display();
            let is_compared = matches!(agreement, Some(Agreement::Differs(_) | Agreement::UnknownImages(_)));
            let label = &work.label;
            let text = match edited {
                Some(_) if is_compared => {
                    format!("{name} of {label} is not what the edited {shown} generates")
                }
                Some(_) => format!("{name} of {label} cannot be compared with the edited {shown}"),
                None if is_compared => format!(
                    "{name} of {label} is generated from {shown}, which does not have this edit: edit that too, or it \
                     will overwrite this edit"
                ),
                None => format!(
                    "{name} of {label} is generated from {shown}: edit that too, or it will overwrite this edit"
                ),
            };
            let differs = matches!(agreement, Some(Agreement::Differs(_)));
            let package = package.filter(|_| differs);
            let command = package.and_then(|package| {
                render_command(&work.after.catalog, package, template, BundleTexts::Catalog)
            });
            match command {
                Some(command) if edited.is_some() => {
                    out.print_note_with_hint(&format!("{text}; generate it again:"), &command);
                }
                Some(command) => {
                    out.print_note_with_hint(&format!("{text}; then generate it again:"), &command);
                }
                None => out.print_note(&text),
            }
        }
    }
}

/// Returns true if a catalog is opened from this template.
fn is_template_of(catalog: &Catalog, template: &TemplateSource) -> bool {
    let disk = catalog.template().and_then(|_| catalog.files().first()?.disk.clone());
    let real = |path: &Path| fs::canonicalize(path).ok();
    disk.is_some_and(|disk| real(&disk).is_some_and(|disk| Some(disk) == real(&template.path)))
}

/// Reads a template that the user did not name; `None` if it must not be read.
fn read_template(template: &TemplateSource) -> Option<Vec<u8>> {
    quotable::check_quotable(&template.path).ok()?;
    regular_file::read_regular(&template.path, MAX_TEMPLATE).ok()
}

/// Compares an edited package with the text of its template. `None` if a part of it cannot be read.
fn compare_with_template(
    work: &AppliedEdit,
    package: &Package,
    template: &TemplateSource,
    text: &[u8],
) -> Option<Agreement> {
    let catalog = &work.after.catalog;
    let docs: Vec<Node> =
        package.documents().map(|doc| catalog.parse_document(doc)?.ok()).collect::<Option<_>>()?;
    let published = canonical::render_documents(&docs, RenderFormat::Yaml).into_bytes();
    let published = load::from_texts(Origin::Stdin, [("published.yaml".into(), published)]);
    Some(match TemplateDocument::parse(text, template.kind) {
        Ok(document) => {
            compare_catalog(&document, published, Options { migrate: template.migrates }, &|_| None)
        }
        Err(faults) => Agreement::Refused(faults),
    })
}
