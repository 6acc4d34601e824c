//! `olmap plan`: upgrade plans from one OpenShift version to another.

mod artifacts;

use std::collections::HashMap;

use clap::ValueEnum;

use super::safety::{SafetyArgs, with_manifests};
use super::{
    Failure, Out, Outcome, cluster::ClusterArgs, image, join_names, out, output, query::Engines, releases,
    source,
};
use olm_catalog::{Catalog, PackageName, similar_names};
use olm_plan::cluster::{self, Cluster, OperatorRequest};
use olm_plan::planner::{
    self, AllPlans, ClusterPlan, OperatorPlan, Plan, PlanCatalogs, PlanSettings, PlanStart,
    VersionInformation, VersionPlan,
};
use olm_plan::series::Release;
use olm_upgrade::safety::{ApiNeighbors, PackageSafety, SafetyInputs};
use olm_upgrade::{Engine, Installed, openshift::OpenShift, v1::Policy};
use olm_version::Version;
use olmap_report::{json, plan as export, plan::PlanRange};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
The plan lists the upgrades in each catalog, and what blocks the update.

Examples:
  olmap plan --installed tide.v1.2.0@stable catalogs/v4.18 catalogs/v4.20
  olmap plan --from 4.18 --to 4.22 --installed tide.v1.2.0 --installed ship.v2.0.0 .
  olmap plan --all --fail-on stranded catalogs/v4.18 catalogs/v4.20
  olmap plan --installed tide.v1.2.0 4.18=old.yaml 4.20=new.yaml

Exit code: 0 all operators get to the target version, 1 something is blocked, 2 failed. With --all: 0, or 1 with
--fail-on stranded if a version is stranded.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Catalogs, one for each OpenShift version, in any order. The version is the v4.NN in the path
    /// or image, or given: 4.18=CATALOG. A repository root means the catalogs in its catalogs/.
    /// Default: all catalogs found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// OpenShift version of the cluster. Default: the lowest that has a catalog.
    #[arg(long, value_name = "4.NN")]
    from: Option<OpenShift>,
    /// OpenShift version to update to. Default: the highest that has a catalog.
    #[arg(long, value_name = "4.NN")]
    to: Option<OpenShift>,
    /// Installed bundle with its channel. Without a channel, Classic uses the default channel if it
    /// has the bundle, otherwise the first channel that has it; v1 uses none. Can be repeated.
    #[arg(long, value_name = "NAME[@CHANNEL]", conflicts_with = "files")]
    installed: Vec<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Plan for every entry of every channel of the first catalog, for v1 with that channel.
    #[arg(long, conflicts_with_all = ["installed", "files", "safety", "bundles", "fetch_bundles"])]
    all: bool,
    /// With --all: only this package. Can be repeated.
    #[arg(long = "package", short = 'p', value_name = "NAME", requires = "all")]
    packages: Vec<String>,
    /// OLM generation to plan for.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    engine: Engines,
    /// Approval of upgrades. Default: the approval on the cluster of --cluster, otherwise manual.
    #[arg(long, value_name = "WHO")]
    approval: Option<Approval>,
    /// Plan to select if there are several.
    #[arg(long, value_name = "WHAT", default_value = "furthest")]
    prefer: Prefer,
    /// Time of operator upgrades if there is a choice.
    #[arg(long, value_name = "WHEN", default_value = "latest")]
    updates: Updates,
    /// Never change the channel, even if nothing else helps.
    #[arg(long)]
    keep_channel: bool,
    /// With --all: exit with 1 if an installed version is stranded.
    #[arg(long, value_name = "WHAT", requires = "all")]
    fail_on: Option<FailOn>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// With -o imageset: image from which oc-mirror pulls the catalogs, without a tag; the tag is v
    /// and the OpenShift version.
    #[arg(long, value_name = "IMAGE")]
    index: Option<String>,
    #[command(flatten)]
    safety: SafetyArgs,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// Human-readable text.
    Text,
    /// JSON; docs/cli.md describes the fields.
    Json,
    /// YAML with the fields of JSON.
    Yaml,
    /// Markdown for a comment on a pull request.
    Markdown,
    /// `ImageSetConfiguration` for oc-mirror v2 that contains every stop.
    Imageset,
    /// Images of every stop, one per line, each with the bundles that need it.
    Images,
    /// Custom resources to apply on each version, and the steps in between.
    Resources,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Approval {
    /// A person approves each upgrade: Classic with Manual approval, v1 with one pinned version
    /// after another.
    Manual,
    /// OLM upgrades at once: Classic with Automatic approval, v1 without a version.
    Automatic,
}

impl Approval {
    fn to_planner(self) -> planner::Approval {
        match self {
            Self::Manual => planner::Approval::Manual,
            Self::Automatic => planner::Approval::Automatic,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Prefer {
    /// Plan that gets furthest in the channel.
    Furthest,
    /// Plan with the fewest upgrades.
    Fewest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Updates {
    /// As late as possible.
    Latest,
    /// As early as possible.
    Earliest,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum FailOn {
    /// An installed version does not get to the last catalog.
    Stranded,
}

impl Args {
    fn build_questions(&self) -> Vec<PlanSettings> {
        let of = |&engine| PlanSettings {
            engine,
            approval: self.approval.map_or(planner::Approval::Manual, Approval::to_planner),
            prefer: match self.prefer {
                Prefer::Furthest => planner::Preference::Furthest,
                Prefer::Fewest => planner::Preference::Fewest,
            },
            updates: match self.updates {
                Updates::Latest => planner::UpdateTiming::Latest,
                Updates::Earliest => planner::UpdateTiming::Earliest,
            },
            may_change_channel: !self.keep_channel,
        };
        self.engine.engines().iter().map(of).collect()
    }
}

pub fn run_plan(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.index.is_some() && args.format != Format::Imageset {
        return Err(Failure::new("--index is only for -o imageset").into());
    }
    let cluster = args.cluster.load_cluster(out)?;
    if !args.all && args.installed.is_empty() && cluster.is_none() {
        return Err(Failure::new("a plan for what?")
            .with_hint("--installed NAME[@CHANNEL] or --cluster FILE says what is installed; --all plans for every version")
            .into());
    }
    let mut releases = releases::open_or_discover(&args.catalogs, &args.images, out)?;
    releases::check_versions(&releases)?;
    let from = args.from.or_else(|| cluster.as_ref()?.openshift());
    retain_versions_between(&mut releases, from, args.to)?;
    if args.all {
        plan_all(args, &releases, out)
    } else {
        plan_installed(args, &releases, cluster.as_ref(), out)
    }
}

/// Plans for every version of every package.
fn plan_all(args: &Args, releases: &[Release<Catalog>], out: &mut Out) -> anyhow::Result<Outcome> {
    for name in &args.packages {
        check_package(releases, name)?;
    }
    let is_wanted = |name: &PackageName| source::is_requested(&args.packages, name);
    let (over, world, questions) =
        (version_span(releases), PlanCatalogs::new(releases, is_wanted), args.build_questions());
    let everyone = AllPlans::new(&world, &questions);
    if args.fail_on.is_some() {
        report_unread_parts(releases, is_wanted, out);
    }
    let fails = args.fail_on == Some(FailOn::Stranded) && everyone.count_stranded().0 > 0;
    let text = match args.format {
        Format::Text => export::text_of_everyone(&over, &everyone, &out.style),
        Format::Markdown => export::comment_on_everyone(&over, &everyone),
        Format::Json | Format::Yaml => output::encode_json(
            args.format,
            json::to_pretty_json(&export::Row::from_plans(
                &over,
                &planned_packages(&world, &questions, everyone),
            )),
        ),
        Format::Imageset | Format::Images => {
            let packages = everyone.packages.iter();
            let plans: Vec<Plan> =
                packages.flat_map(|package| package.plans.to_plans_without_repeats()).collect();
            let plans: Vec<&Plan> = plans.iter().collect();
            artifacts::render_image_set(args, &over, releases, &plans, out)?
        }
        Format::Resources => {
            return Err(Failure::new("resources are those of one cluster, not of everybody")
                .with_hint("--installed NAME[@CHANNEL] or --cluster FILE says what is installed")
                .into());
        }
    };
    out.print(&text)?;
    Ok(fails.into())
}

/// Plans for the installed bundles.
fn plan_installed(
    args: &Args,
    releases: &[Release<Catalog>],
    cluster: Option<&Cluster>,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    // The given bundles may belong to either OLM, so there is a cluster for each.
    let asked: Vec<Vec<(PlanStart, PlanSettings)>> = if let Some(cluster) = cluster {
        vec![from_cluster(args, releases, cluster, out)]
    } else {
        let of = |question: PlanSettings| {
            let starts = args.installed.iter().map(|text| parse_installed(releases, text, question));
            starts.map(|start| Ok((start?, question))).collect()
        };
        args.build_questions().into_iter().map(of).collect::<Result<_, Failure>>()?
    };
    let is_wanted = |name: &PackageName| asked.iter().flatten().any(|(start, _)| start.package == *name);
    let (over, world) = (version_span(releases), PlanCatalogs::new(releases, is_wanted));
    let clusters =
        asked.iter().map(|asked| add_remarks(args, releases, &world, ClusterPlan::new(&world, asked), out));
    let clusters: Vec<ClusterPlan> = clusters.collect::<Result<_, Failure>>()?;
    report_unread_parts(releases, is_wanted, out);
    let operators = || clusters.iter().flat_map(|whole| &whole.operators);
    let text = match args.format {
        Format::Text => export::render_plans(&over, &clusters, &out.style),
        Format::Markdown => export::render_plans_comment(&over, &clusters),
        Format::Json | Format::Yaml => output::encode_json(
            args.format,
            json::to_pretty_json(&export::Row::from_plans(&over, operators())),
        ),
        Format::Imageset | Format::Images => {
            let plans: Vec<&Plan> = operators().map(|planned| &planned.plan).collect();
            artifacts::render_image_set(args, &over, releases, &plans, out)?
        }
        Format::Resources => {
            let [whole] = clusters.as_slice() else {
                return Err(Failure::new("resources need one OLM")
                    .with_hint("choose one with --engine: classic or v1")
                    .into());
            };
            artifacts::render_resources(releases, &world, whole, cluster)?
        }
    };
    if args.format == Format::Resources {
        out.print_exact(&text)?;
    } else {
        out.print(&text)?;
    }
    Ok((!clusters.iter().all(ClusterPlan::arrives)).into())
}

/// Reports unreadable parts of catalogs that may matter to the planned packages.
fn report_unread_parts(releases: &[Release<Catalog>], is_wanted: impl Fn(&PackageName) -> bool, out: &Out) {
    for release in releases {
        out::report_unread(&release.catalog, &is_wanted, out);
    }
}

/// Adds remarks and remedies to plans, and the safety of their upgrades if requested.
fn add_remarks(
    args: &Args,
    releases: &[Release<Catalog>],
    world: &PlanCatalogs,
    whole: ClusterPlan,
    out: &Out,
) -> Result<ClusterPlan, Failure> {
    let mut judged: HashMap<(OpenShift, PackageName), PackageSafety> = HashMap::new();
    if let Some(sight) = args.safety.search_path(&args.images) {
        for Release { openshift, catalog, .. } in releases {
            let Some(openshift) = openshift else { continue };
            let neighbours = ApiNeighbors::from_catalog(catalog);
            for (name, steps) in whole.upgrade_steps(*openshift) {
                let graph = world.find_package(name.as_str()).and_then(|legs| legs.graph(*openshift));
                let Some(graph) = graph else { continue };
                let safety = with_manifests(catalog, &sight, |shelves| {
                    let grounds = SafetyInputs { manifests: shelves, neighbors: &neighbours, cache: None };
                    PackageSafety::judge_steps(graph, steps, grounds)
                })?;
                out::report_steps(&safety, out);
                judged.insert((*openshift, name), safety);
            }
        }
    }
    Ok(whole.with_information(world, |openshift, package| {
        let release = releases.iter().find(|release| release.openshift == Some(openshift))?;
        Some(VersionInformation {
            catalog: &release.catalog,
            safety: judged.get(&(openshift, package.clone())),
        })
    }))
}

/// Returns all plans for JSON output.
fn planned_packages(
    world: &PlanCatalogs,
    questions: &[PlanSettings],
    everyone: AllPlans,
) -> Vec<OperatorPlan> {
    let of = |package: planner::PackagePlans| {
        let legs = world.find_package(package.package.as_str());
        let question = questions.iter().find(|question| question.engine == package.engine);
        let opens = legs.zip(question).map(|(legs, question)| package.find_fixes(legs, question));
        let plans = package.plans.iter().map(VersionPlan::to_plan);
        let planned = plans.zip(opens.unwrap_or_default()).map(|(plan, opens)| OperatorPlan {
            remarks: legs.map(|legs| planner::plan_notes(legs, &plan, |_| None)).unwrap_or_default(),
            fix: opens,
            plan,
        });
        planned.collect::<Vec<_>>()
    };
    everyone.packages.into_iter().flat_map(of).collect()
}

fn version_span(releases: &[Release<Catalog>]) -> PlanRange {
    let named = releases.iter().filter_map(|release| Some((release.openshift?, release.label.clone())));
    let catalogs: Vec<(OpenShift, String)> = named.collect();
    let versions: Vec<OpenShift> = catalogs.iter().map(|(version, _)| *version).collect();
    PlanRange { catalogs, missing: planner::find_missing_versions(&versions) }
}

/// Keeps the catalogs between two versions, both of which must have a catalog.
fn retain_versions_between(
    releases: &mut Vec<Release<Catalog>>,
    from: Option<OpenShift>,
    to: Option<OpenShift>,
) -> Result<(), Failure> {
    let versions: Vec<OpenShift> = releases.iter().filter_map(|release| release.openshift).collect();
    // In the spelling of the catalog.
    let known = |wanted: Option<OpenShift>| {
        wanted.map(|wanted| versions.iter().copied().find(|own| own.is_same(wanted)).unwrap_or(wanted))
    };
    let (from, to) = (known(from), known(to));
    for wanted in from.into_iter().chain(to) {
        if !versions.contains(&wanted) {
            let known: Vec<String> = versions.iter().map(ToString::to_string).collect();
            return Err(Failure::new(format!("no catalog of OpenShift {wanted} is given")).with_hint(
                format!(
                    "there are catalogs of {}; 4.NN=CATALOG says which version one is for",
                    known.join(", ")
                ),
            ));
        }
    }
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        return Err(Failure::new(format!("a cluster is not updated from {from} down to {to}")));
    }
    let is_in =
        |version: OpenShift| from.is_none_or(|from| version >= from) && to.is_none_or(|to| version <= to);
    releases.retain(|release| release.openshift.is_some_and(is_in));
    Ok(())
}

fn check_package(releases: &[Release<Catalog>], name: &str) -> Result<(), Failure> {
    if releases.iter().any(|release| release.catalog.package(name).is_some()) {
        return Ok(());
    }
    Err(Failure::new(format!("no catalog has a package {name}")))
}

/// Returns the installed operators of a cluster that a catalog knows, each with its OLM, channel and
/// approval. Prints the others on standard error.
fn from_cluster(
    args: &Args,
    releases: &[Release<Catalog>],
    cluster: &Cluster,
    out: &Out,
) -> Vec<(PlanStart, PlanSettings)> {
    let mut asked = Vec::new();
    for operator in &cluster.operators {
        let engine = operator.engine();
        let Some(question) = args.build_questions().into_iter().find(|question| question.engine == engine)
        else {
            continue;
        };
        let known = operator.package.as_ref().zip(operator.installed.as_ref());
        let Some((package, installed)) = known else {
            out.print_note(&format!("{}: no plan, for nothing is known to be installed", operator.name));
            continue;
        };
        let mut packages = releases.iter().filter_map(|release| release.catalog.package(package.as_str()));
        let Some(first) = packages.next() else {
            out.print_note(&format!("{package}: no plan, for no catalog has it"));
            continue;
        };
        let (channel, approval) = match &operator.request {
            OperatorRequest::Subscription(asks) => (asks.channel.clone(), planner_approval(asks.approval)),
            // Without a Subscription, an administrator upgrades the operator.
            OperatorRequest::Nothing => (None, planner::Approval::Manual),
            OperatorRequest::Extension { query, .. } => {
                let channel = match query.channels.as_slice() {
                    [] => None,
                    [only] => Some(only.clone()),
                    _ => {
                        let words = format!(
                            "{package}: no plan, for it may be upgraded in several channels, not in one or any"
                        );
                        out.print_warning(&words, Some("--installed NAME@CHANNEL plans for one of them"));
                        continue;
                    }
                };
                if query.policy == Policy::SelfCertified {
                    let words = format!(
                        "{package}: the plan keeps to the catalog's edges, though its policy is SelfCertified"
                    );
                    out.print_warning(&words, None);
                }
                let is_pinned = Version::parse(&query.version).is_ok();
                if !query.version.is_empty() && !is_pinned {
                    let words = format!(
                        "{package}: the plan does not look at its version constraint {}",
                        query.version
                    );
                    out.print_warning(&words, None);
                }
                (channel, if is_pinned { planner::Approval::Manual } else { planner::Approval::Automatic })
            }
        };
        let channel = channel.or_else(|| match engine {
            Engine::Classic => first.default_channel().cloned(),
            Engine::V1 => None,
        });
        let approval = args.approval.map_or(approval, Approval::to_planner);
        // A ClusterExtension does not contain the properties of its bundle, but the catalog does.
        let limit = (!installed.properties.is_empty()).then(|| installed.openshift_limit());
        let start =
            PlanStart { package: package.clone(), installed: installed.to_installed(), channel, limit };
        asked.push((start, PlanSettings { approval, ..question }));
    }
    asked
}

fn planner_approval(of: cluster::Approval) -> planner::Approval {
    match of {
        cluster::Approval::Automatic => planner::Approval::Automatic,
        cluster::Approval::Manual => planner::Approval::Manual,
    }
}

/// Parses an installed bundle, and finds it in the first catalog that has it.
fn parse_installed(
    releases: &[Release<Catalog>],
    text: &str,
    question: PlanSettings,
) -> Result<PlanStart, Failure> {
    let (name, channel) = match text.split_once('@') {
        Some((name, channel)) => (name, Some(channel)),
        None => (text, None),
    };
    for release in releases {
        let mut packages = release.catalog.packages().filter(|package| package.bundle(name).is_some());
        let Some(package) = packages.next() else { continue };
        if let Some(other) = packages.next() {
            let reason = format!("{} has {name} in {} and in {}", release.label, package.name, other.name);
            return Err(Failure::new(reason));
        }
        let installed = Installed::from_package(package, &name.into());
        return PlanStart::for_installed(
            &package.name,
            installed,
            channel.map(Into::into),
            question.engine,
            package,
        )
        .ok_or_else(|| {
            let channels = package.channels.iter().map(|channel| channel.name.value.as_str());
            Failure::new(format!("which channel does {name} follow?"))
                .with_hint(format!("say it: {name}@CHANNEL; channels: {}", join_names(channels)))
        });
    }
    let names = releases.iter().flat_map(|release| release.catalog.packages());
    let names = names.flat_map(|package| package.bundles.iter().map(|bundle| bundle.name.value.as_str()));
    let hint = similar_names::suggest_closest(name, names).map_or_else(
        || "--installed takes the name of a bundle: tide.v1.2.0".to_owned(),
        |meant| format!("did you mean {meant}?"),
    );
    Err(Failure::new(format!("no catalog has a bundle {name}")).with_hint(hint))
}
