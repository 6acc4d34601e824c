//! `olmap cache`: cached images and verdicts.

use serde_json::json;

use super::{failure::Failure, format::TextOrJson, out::Out, outcome::Outcome};
use crate::{
    export::{json as print, plain},
    runtime::Verdicts,
    source::cache::Cache,
};

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Tell where the cache is, and how much is in it.
    Show(ShowArgs),
    /// Remove everything from the cache. It is fetched and judged again when it is needed.
    Clear,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

pub fn run(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let cache = Cache::usual().ok_or_else(|| Failure::new("there is no cache: no home directory"))?;
    let folder = cache.folder().display().to_string();
    match &args.command {
        Command::Show(args) if args.format == TextOrJson::Json => {
            let amount = cache.amount();
            let (packages, bytes) = Verdicts::amount();
            out.print(&print::pretty(&json!({
                "folder": folder,
                "images": { "blobs": amount.blobs, "bytes": amount.bytes, "limit": cache.most(), "names": amount.names },
                "steps": { "packages": packages, "bytes": bytes },
            })))?;
        }
        Command::Show(_) => {
            let mut text = format!("folder  {}\n", plain::line(&folder));
            for (name, what) in facts(&cache) {
                text.push_str(&format!("{name:6}  {what}\n"));
            }
            out.print(&text)?;
        }
        Command::Clear => {
            let failed = |error| Failure::new(format!("cannot clear {folder}: {error}"));
            let before = cache.clear().map_err(failed)?;
            let (packages, _) = Verdicts::amount();
            Verdicts::clear().map_err(failed)?;
            let blobs = before.blobs;
            out.print(&format!(
                "removed {blobs} blobs of images ({}) and the verdicts on {packages} packages\n",
                megabytes(before.bytes)
            ))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Returns the contents of the cache as labeled values.
pub fn facts(cache: &Cache) -> [(&'static str, String); 2] {
    let amount = cache.amount();
    let (packages, bytes) = Verdicts::amount();
    let images = format!(
        "{} blobs, {} of at most {}, {} names",
        amount.blobs,
        megabytes(amount.bytes),
        megabytes(cache.most()),
        amount.names
    );
    [("images", images), ("steps", format!("{packages} packages, {}", megabytes(bytes)))]
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
