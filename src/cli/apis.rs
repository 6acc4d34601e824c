//! `olmap apis`: providers and requirers of APIs and packages.

use std::path::{Path, PathBuf};

use super::output::{self, TableArgs, TableFormat};
use super::{Failure, Out, Outcome, image, out, source};
use olm_catalog::similar_names;
use olm_source::is_image_reference;
use olm_upgrade::apis::{DependencyIndex, Usage};
use olmap_report::apis::{self, Row};
use olmap_report::{json, omissions::OmittedPart};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap apis catalog                            all APIs, missing ones first
  olmap apis certs.example.com/Issuer catalog   bundles that provide and require it
  olmap apis --missing catalogs/certified catalogs/community

Exit code: 0 ok, 1 with --missing: requirements are missing, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// API (GROUP/KIND or KIND) or package, unless a file of that name exists; then the catalogs of
    /// one cluster: directories, files, images, or - for standard input.
    #[arg(value_name = "API] [PATH")]
    words: Vec<PathBuf>,
    /// Only requirements that nothing provides; exit with 1 if there are any.
    #[arg(long)]
    missing: bool,
    #[command(flatten)]
    table: TableArgs,
    #[command(flatten)]
    images: image::Args,
}

pub fn run_apis(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (api, paths) = split_api(&args.words)?;
    let catalogs = source::open_catalogs(paths, &args.images)?;
    for catalog in &catalogs {
        source::warn_of_problems(catalog, out);
    }
    let index = DependencyIndex::from_catalogs(&catalogs);
    let mut usages = match &api {
        None => index.usages().iter().collect(),
        Some(api) => find_usages(&index, api)?,
    };
    if args.missing {
        usages.retain(|usage| usage.is_missing());
    }
    let labels: Vec<String> = catalogs.iter().map(|catalog| catalog.origin.label()).collect();
    let rows = || usages.iter().map(|usage| Row::from_usage(usage, &labels)).collect::<Vec<_>>();
    let text = match (args.table.format, &api) {
        (TableFormat::Json, _) => json::to_pretty_json(&rows()),
        (TableFormat::Yaml, _) => output::to_yaml(&rows()),
        (TableFormat::Name, _) => {
            let names: Vec<String> = usages.iter().map(|usage| usage.thing.to_string()).collect();
            output::render_names(names.iter().map(String::as_str))
        }
        (TableFormat::Text, None) => apis::render_usage_table(&usages, !args.table.no_headers, &out.style),
        (TableFormat::Text, Some(_)) => {
            let details = usages.iter().map(|usage| apis::render_usage_detail(usage, &labels, &out.style));
            details.collect::<Vec<_>>().join("\n")
        }
    };
    out.print(&text)?;
    if !args.missing {
        return Ok(Outcome::Fine);
    }
    // Content that could not be read may require any API.
    for left_out in catalogs.iter().filter_map(OmittedPart::unread_in_catalog) {
        out::report_left_out(&left_out, out);
    }
    Ok((!usages.is_empty()).into())
}

/// Splits the API from the paths after it. The first word is a path if that path exists, or if it begins like
/// a path.
fn split_api(words: &[PathBuf]) -> Result<(Option<String>, &[PathBuf]), Failure> {
    let Some((first, rest)) = words.split_first() else { return Ok((None, words)) };
    let begins_as_path = first.is_absolute() || first.starts_with(".") || first.starts_with("..");
    let is_revision = super::revision::parse_revision(first).is_some();
    if begins_as_path
        || is_revision
        || source::is_stdin(first)
        || Path::exists(first)
        || is_image_reference(first)
    {
        return Ok((None, words));
    }
    let api = first.to_str().ok_or_else(|| Failure::new(format!("no such path: {}", first.display())))?;
    Ok((Some(api.to_owned()), rest))
}

fn find_usages<'a>(index: &'a DependencyIndex, api: &str) -> Result<Vec<&'a Usage>, Failure> {
    let found = index.find_usages(api);
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<String> = index.usages().iter().map(|usage| usage.thing.to_string()).collect();
    let near = similar_names::suggest_closest(api, names.iter().map(String::as_str));
    let hint = near.map_or_else(
        || "olmap apis lists all; a PATH must exist".to_owned(),
        |name| format!("did you mean {name}?"),
    );
    Err(Failure::new(format!("nothing provides or requires {api}, and there is no such path"))
        .with_hint(hint))
}
