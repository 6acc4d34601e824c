//! `olmap cache`: cached images and upgrade checks.

use serde_json::json;

use super::{Failure, Out, Outcome, TextOrJson, output};
use crate::runtime::VerdictStore;
use olm_source::cache::Cache;
use olmap_report::{escape, json};

/// Examples and exit codes at the end of the help.
pub const HELP: &str = "\
Examples:
  olmap cache show                              location and size of the cache
  olmap cache clear                             remove everything; olmap fetches images again

Exit code: 0 ok, 2 failed.";

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// Show the location and the size of the cache.
    Show(ShowArgs),
    /// Remove everything from the cache. olmap fetches and checks it again when needed.
    Clear,
}

#[derive(Debug, clap::Args)]
struct ShowArgs {
    /// Output format.
    #[arg(long = "output", alias = "format", short = 'o', value_name = "FORMAT", default_value = "text")]
    format: TextOrJson,
}

pub fn run_cache(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let cache =
        Cache::default_location().ok_or_else(|| Failure::new("there is no cache: no home directory"))?;
    let folder = cache.folder().display().to_string();
    match &args.command {
        CacheCommand::Show(args) if args.format != TextOrJson::Text => {
            let amount = cache.usage();
            let (packages, bytes) = VerdictStore::cached_amount();
            out.print(&output::encode_json(args.format, json::to_pretty_json(&json!({
                "folder": folder,
                "images": { "blobs": amount.blobs, "bytes": amount.bytes, "limit": cache.max_bytes(), "names": amount.names },
                "steps": { "packages": packages, "bytes": bytes },
            }))))?;
        }
        CacheCommand::Show(_) => {
            let mut text = format!("folder  {}\n", escape::escape_line(&folder));
            for (name, what) in cache_facts(&cache) {
                text.push_str(&format!("{name:6}  {what}\n"));
            }
            out.print(&text)?;
        }
        CacheCommand::Clear => {
            let failed = |error| Failure::new(format!("cannot clear {folder}: {error}"));
            let before = cache.remove_all().map_err(failed)?;
            let (packages, _) = VerdictStore::cached_amount();
            VerdictStore::clear().map_err(failed)?;
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
pub fn cache_facts(cache: &Cache) -> [(&'static str, String); 2] {
    let amount = cache.usage();
    let (packages, bytes) = VerdictStore::cached_amount();
    let images = format!(
        "{} blobs, {} of at most {}, {} names",
        amount.blobs,
        megabytes(amount.bytes),
        megabytes(cache.max_bytes()),
        amount.names
    );
    [("images", images), ("steps", format!("{packages} packages, {}", megabytes(bytes)))]
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
