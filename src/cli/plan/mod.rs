//! `olmap plan`: upgrade plans from one OpenShift version to another.

mod mirrored;
mod resources;
mod start;

use std::collections::HashMap;

use clap::ValueEnum;

use super::{
    cluster::ClusterArgs,
    failure::Failure,
    image, not_checked,
    out::Out,
    outcome::Outcome,
    query::Engines,
    releases,
    safety::{SafetyArgs, with_manifests},
};
use crate::{
    catalog::{Catalog, PackageName},
    export::{
        json,
        plan::{self as export, Over},
    },
    plan::{
        cluster::Cluster,
        planner::{self, Everyone, Known, Plan, Planned, Question, Start, Whole, World},
        series::Release,
    },
    upgrade::{
        openshift::OpenShift,
        safety::{Grounds, Neighbours, PackageSafety},
    },
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The catalogs, one for each OpenShift version, in any order. The version is the v4.NN in the path or image, or is said:
    /// 4.18=CATALOG. The root of a repository stands for the catalogs in its catalogs/. Default: all catalogs
    /// found here.
    #[arg(value_name = "[4.NN=]CATALOG")]
    catalogs: Vec<String>,
    /// The OpenShift version of the cluster. Default: the lowest that has a catalog.
    #[arg(long, value_name = "4.NN")]
    from: Option<OpenShift>,
    /// The version to update it to. Default: the highest that has a catalog.
    #[arg(long, value_name = "4.NN")]
    to: Option<OpenShift>,
    /// A bundle that is installed, with the channel that is followed; without one Classic follows the default channel if that
    /// has the bundle, otherwise the first that does, and v1 none. May be given several times.
    #[arg(long, value_name = "NAME[@CHANNEL]", conflicts_with = "files")]
    installed: Vec<String>,
    #[command(flatten)]
    cluster: ClusterArgs,
    /// Plan for every entry of every channel of the first catalog; v1 is asked for that channel.
    #[arg(long, conflicts_with_all = ["installed", "files", "safety", "bundles", "fetch_bundles"])]
    all: bool,
    /// With --all: only this package. May be given several times.
    #[arg(long = "package", short = 'p', value_name = "NAME", requires = "all")]
    packages: Vec<String>,
    /// Whose upgrades.
    #[arg(long, value_name = "ENGINE", default_value = "both")]
    engine: Engines,
    /// Who decides when an operator is upgraded. Default: what a cluster given by --cluster says, otherwise manual.
    #[arg(long, value_name = "WHO")]
    approval: Option<Approval>,
    /// Which plan, where there are several.
    #[arg(long, value_name = "WHAT", default_value = "furthest")]
    prefer: Prefer,
    /// When to upgrade operators, where there is a choice.
    #[arg(long, value_name = "WHEN", default_value = "latest")]
    updates: Updates,
    /// Plan no change of channel, not even where nothing else helps.
    #[arg(long)]
    keep_channel: bool,
    /// With --all: exit with 1 if somebody is stranded.
    #[arg(long, value_name = "WHAT", requires = "all")]
    fail_on: Option<FailOn>,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// With -o imageset: where oc-mirror pulls the catalogs, without a tag; the tag is v and the OpenShift version.
    #[arg(long, value_name = "IMAGE")]
    index: Option<String>,
    #[command(flatten)]
    safety: SafetyArgs,
    #[command(flatten)]
    images: image::Args,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs; the format is in docs/cli.md.
    Json,
    /// For a comment on a pull request.
    Markdown,
    /// An `ImageSetConfiguration` for oc-mirror v2 that holds every stop.
    Imageset,
    /// The images of every stop, one per line, each with the bundles that need it.
    Images,
    /// What to apply on each version, as custom resources, and what to do between.
    Resources,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Approval {
    /// A person, upgrade by upgrade: Classic with Manual approval, v1 with one pinned version after another.
    Manual,
    /// OLM, at once: Classic with Automatic approval, v1 without a version.
    Automatic,
}

impl Approval {
    fn of_plan(self) -> planner::Approval {
        match self {
            Self::Manual => planner::Approval::Manual,
            Self::Automatic => planner::Approval::Automatic,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Prefer {
    /// The one that ends as far as the channel leads.
    Furthest,
    /// The one with the fewest upgrades.
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
    fn questions(&self) -> Vec<Question> {
        let of = |&engine| Question {
            engine,
            approval: self.approval.map_or(planner::Approval::Manual, Approval::of_plan),
            prefer: match self.prefer {
                Prefer::Furthest => planner::Prefer::Furthest,
                Prefer::Fewest => planner::Prefer::Fewest,
            },
            updates: match self.updates {
                Updates::Latest => planner::Updates::Latest,
                Updates::Earliest => planner::Updates::Earliest,
            },
            may_change_channel: !self.keep_channel,
        };
        self.engine.list().iter().map(of).collect()
    }
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    if args.index.is_some() && args.format != Format::Imageset {
        return Err(Failure::new("--index is only for -o imageset").into());
    }
    let cluster = args.cluster.read(out)?;
    if !args.all && args.installed.is_empty() && cluster.is_none() {
        return Err(Failure::new("a plan for what?")
            .hint("--installed NAME[@CHANNEL] or --cluster FILE says what is installed; --all plans for every version")
            .into());
    }
    let mut releases = releases::open_or_here(&args.catalogs, &args.images, out)?;
    releases::check_versions(&releases)?;
    let from = args.from.or_else(|| cluster.as_ref()?.openshift());
    between(&mut releases, from, args.to)?;
    if args.all { everybody(args, &releases, out) } else { installed(args, &releases, cluster.as_ref(), out) }
}

/// Plans for every version of every package.
fn everybody(args: &Args, releases: &[Release<Catalog>], out: &mut Out) -> anyhow::Result<Outcome> {
    for name in &args.packages {
        check_package(releases, name)?;
    }
    let is_wanted =
        |name: &PackageName| args.packages.is_empty() || args.packages.iter().any(|wanted| *name == **wanted);
    let (over, world, questions) = (over(releases), World::new(releases, is_wanted), args.questions());
    let everyone = Everyone::new(&world, &questions);
    if args.fail_on.is_some() {
        report_left_out(releases, is_wanted, out);
    }
    let fails = args.fail_on == Some(FailOn::Stranded) && everyone.stranded().0 > 0;
    let text = match args.format {
        Format::Text => export::text_of_everyone(&over, &everyone, &out.style),
        Format::Markdown => export::comment_on_everyone(&over, &everyone),
        Format::Json => json::pretty(&export::Row::of(&over, &told(&world, &questions, everyone))),
        Format::Imageset | Format::Images => {
            let plans: Vec<&Plan> = everyone.packages.iter().flat_map(|package| &package.plans).collect();
            mirrored::text(args, &over, releases, &plans, out)?
        }
        Format::Resources => {
            return Err(Failure::new("resources are those of one cluster, not of everybody")
                .hint("--installed NAME[@CHANNEL] or --cluster FILE says what is installed")
                .into());
        }
    };
    out.print(&text)?;
    Ok(fails.into())
}

/// Plans for the installed bundles.
fn installed(
    args: &Args,
    releases: &[Release<Catalog>],
    cluster: Option<&Cluster>,
    out: &mut Out,
) -> anyhow::Result<Outcome> {
    // The given bundles may belong to either OLM, so there is a cluster for each.
    let asked: Vec<Vec<(Start, Question)>> = if let Some(cluster) = cluster {
        vec![start::of_cluster(args, releases, cluster, out)]
    } else {
        let of = |question: Question| {
            let starts = args.installed.iter().map(|text| start::read(releases, text, question));
            starts.map(|start| Ok((start?, question))).collect()
        };
        args.questions().into_iter().map(of).collect::<Result<_, Failure>>()?
    };
    let is_wanted = |name: &PackageName| asked.iter().flatten().any(|(start, _)| start.package == *name);
    let (over, world) = (over(releases), World::new(releases, is_wanted));
    let clusters = asked.iter().map(|asked| known(args, releases, &world, Whole::new(&world, asked), out));
    let clusters: Vec<Whole> = clusters.collect::<Result<_, Failure>>()?;
    report_left_out(releases, is_wanted, out);
    let operators = || clusters.iter().flat_map(|whole| &whole.operators);
    let text = match args.format {
        Format::Text => export::text(&over, &clusters, &out.style),
        Format::Markdown => export::comment(&over, &clusters),
        Format::Json => json::pretty(&export::Row::of(&over, operators())),
        Format::Imageset | Format::Images => {
            let plans: Vec<&Plan> = operators().map(|planned| &planned.plan).collect();
            mirrored::text(args, &over, releases, &plans, out)?
        }
        Format::Resources => {
            let [whole] = clusters.as_slice() else {
                return Err(Failure::new("resources of which OLM?")
                    .hint("choose one with --engine: classic or v1")
                    .into());
            };
            resources::text(releases, &world, whole, cluster)?
        }
    };
    if args.format == Format::Resources {
        out.print_exact(&text)?;
    } else {
        out.print(&text)?;
    }
    Ok((!clusters.iter().all(Whole::arrives)).into())
}

/// Reports unreadable parts of catalogs that may matter to the planned packages.
fn report_left_out(releases: &[Release<Catalog>], is_wanted: impl Fn(&PackageName) -> bool, out: &Out) {
    for release in releases {
        not_checked::report_unread(&release.catalog, &is_wanted, out);
    }
}

/// Adds remarks and remedies to plans, and the safety of their upgrades if requested.
fn known(
    args: &Args,
    releases: &[Release<Catalog>],
    world: &World,
    whole: Whole,
    out: &Out,
) -> Result<Whole, Failure> {
    let mut judged: HashMap<(OpenShift, PackageName), PackageSafety> = HashMap::new();
    if let Some(sight) = args.safety.sight(&args.images) {
        for Release { openshift, catalog, .. } in releases {
            let Some(openshift) = openshift else { continue };
            let neighbours = Neighbours::of(catalog);
            for (name, steps) in whole.steps(*openshift) {
                let graph = world.package(name.as_str()).and_then(|legs| legs.graph(*openshift));
                let Some(graph) = graph else { continue };
                let safety = with_manifests(catalog, &sight, |shelves| {
                    let grounds = Grounds { manifests: shelves, neighbours: &neighbours, memory: None };
                    PackageSafety::of_steps(graph, steps, grounds)
                })?;
                not_checked::report_steps(&safety, out);
                judged.insert((*openshift, name), safety);
            }
        }
    }
    Ok(whole.knowing(world, |openshift, package| {
        let release = releases.iter().find(|release| release.openshift == Some(openshift))?;
        Some(Known { catalog: &release.catalog, safety: judged.get(&(openshift, package.clone())) })
    }))
}

/// Returns all plans for JSON output.
fn told(world: &World, questions: &[Question], everyone: Everyone) -> Vec<Planned> {
    let of = |package: planner::PackagePlans| {
        let legs = world.package(package.package.as_str());
        let question = questions.iter().find(|question| question.engine == package.engine);
        let opens = legs.zip(question).map(|(legs, question)| package.opens(legs, question));
        let planned = package.plans.into_iter().zip(opens.unwrap_or_default()).map(|(plan, opens)| Planned {
            remarks: legs.map(|legs| planner::remarks(legs, &plan, |_| None)).unwrap_or_default(),
            opens,
            plan,
        });
        planned.collect::<Vec<_>>()
    };
    everyone.packages.into_iter().flat_map(of).collect()
}

fn over(releases: &[Release<Catalog>]) -> Over {
    let named = releases.iter().filter_map(|release| Some((release.openshift?, release.label.clone())));
    let catalogs: Vec<(OpenShift, String)> = named.collect();
    let versions: Vec<OpenShift> = catalogs.iter().map(|(version, _)| *version).collect();
    Over { catalogs, missing: planner::missing(&versions) }
}

/// Keeps the catalogs between two versions, both of which must have a catalog.
fn between(
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
            return Err(Failure::new(format!("no catalog of OpenShift {wanted} is given")).hint(format!(
                "there are catalogs of {}; 4.NN=CATALOG says which version one is for",
                known.join(", ")
            )));
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
