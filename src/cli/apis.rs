//! `olmap apis`: providers and requirers of APIs and packages.

use std::path::{Path, PathBuf};

use super::{failure::Failure, format::TextOrJson, image, not_checked, out::Out, outcome::Outcome, source};
use crate::{
    catalog::near,
    export::{
        apis::{self, Row},
        json,
        left_out::LeftOut,
    },
    source::is_image,
    upgrade::apis::{Index, Usage},
};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// An API (GROUP/KIND or KIND) or a package, if nothing of that path exists; then the catalogs of one cluster:
    /// directories, files, or - for standard input.
    #[arg(value_name = "API] [PATH")]
    words: Vec<PathBuf>,
    /// Only what is required and not provided; exit 1 if there is any.
    #[arg(long)]
    missing: bool,
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
    #[command(flatten)]
    images: image::Args,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (api, paths) = split(&args.words)?;
    let catalogs = source::all(paths, &args.images)?;
    for catalog in &catalogs {
        source::warn_of_problems(catalog, out);
    }
    let index = Index::of(&catalogs);
    let mut usages = match &api {
        None => index.usages().iter().collect(),
        Some(api) => meant(&index, api)?,
    };
    if args.missing {
        usages.retain(|usage| usage.is_missing());
    }
    let labels: Vec<String> = catalogs.iter().map(|catalog| catalog.origin.label()).collect();
    let text = match (args.format, &api) {
        (TextOrJson::Json, _) => {
            json::pretty(&usages.iter().map(|usage| Row::of(usage, &labels)).collect::<Vec<_>>())
        }
        (TextOrJson::Text, None) => apis::list(&usages, &out.style),
        (TextOrJson::Text, Some(_)) => {
            let details = usages.iter().map(|usage| apis::detail(usage, &labels, &out.style));
            details.collect::<Vec<_>>().join("\n")
        }
    };
    out.print(&text)?;
    if !args.missing {
        return Ok(Outcome::Fine);
    }
    // Content that could not be read may require any API.
    for left_out in catalogs.iter().filter_map(LeftOut::of_all) {
        not_checked::report_left_out(&left_out, out);
    }
    Ok((!usages.is_empty()).into())
}

/// Splits the API from the paths after it. The first word is a path if that path exists, or if it begins like
/// a path.
fn split(words: &[PathBuf]) -> Result<(Option<String>, &[PathBuf]), Failure> {
    let Some((first, rest)) = words.split_first() else { return Ok((None, words)) };
    let begins_as_path = first.is_absolute() || first.starts_with(".") || first.starts_with("..");
    let is_revision = super::revision::parse(first).is_some();
    if begins_as_path
        || is_revision
        || first.as_os_str() == source::STDIN
        || Path::exists(first)
        || is_image(first)
    {
        return Ok((None, words));
    }
    let api = first.to_str().ok_or_else(|| Failure::new(format!("no such path: {}", first.display())))?;
    Ok((Some(api.to_owned()), rest))
}

fn meant<'a>(index: &'a Index, api: &str) -> Result<Vec<&'a Usage>, Failure> {
    let found = index.meant(api);
    if !found.is_empty() {
        return Ok(found);
    }
    let names: Vec<String> = index.usages().iter().map(|usage| usage.thing.to_string()).collect();
    let near = near::meant(api, names.iter().map(String::as_str));
    let hint = near.map_or_else(
        || "olmap apis lists all; a PATH must exist".to_owned(),
        |name| format!("did you mean {name}?"),
    );
    Err(Failure::new(format!("nothing provides or requires {api}, and there is no such path")).hint(hint))
}
