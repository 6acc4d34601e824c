//! `olmap template map`: adds catalogs to the mapping of a template in the `ci.yaml` of its operator.

use std::path::{Path, PathBuf};

use crate::cli::output::{save_failure, warn_if_not_durable};
use crate::cli::{Failure, Out, Outcome, hidden_content_message};
use olm_catalog::load::regular_file;
use olm_edit::save::{DirectoryLock, FileChange, save_files};
use olm_source::operator_config::CI_FILE;
use olm_source::operator_config::edit::{AddCatalogError, add_catalog};
use olmap_report::escape;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Template of the operator: operators/NAME/catalog-templates/FILE.
    #[arg(value_name = "TEMPLATE")]
    template: PathBuf,
    /// Catalog, such as v4.21. Can be repeated.
    #[arg(value_name = "VERSION", required = true)]
    catalogs: Vec<String>,
    /// Print the ci.yaml without writing it.
    #[arg(long, short = 'n')]
    dry_run: bool,
}

pub fn run_template_map(args: &Args, out: &mut Out) -> anyhow::Result<Outcome> {
    let (path, name) = locate_config(&args.template)?;
    if let Some(reason) = hidden_content_message(&path) {
        return Err(Failure::new(format!("{}: {reason}", path.display())).into());
    }
    let before = regular_file::read_regular(&path, regular_file::MAX_HANDWRITTEN_SIZE)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let mut after = before.clone();
    for catalog in &args.catalogs {
        after = add_catalog(&after, name, catalog).map_err(|error| map_failure(&path, &error))?;
    }
    if args.dry_run {
        out.print_exact(&String::from_utf8_lossy(&after))?;
        return Ok(Outcome::Fine);
    }
    let change = FileChange { path: &path, before: Some(&before), after: Some(&after) };
    let saved = save_files(&[change], &mut DirectoryLock::with_default_state());
    warn_if_not_durable(&saved.map_err(|error| save_failure(&error))?, out);
    out.print_stderr(&format!("wrote {}\n", escape::escape_line(&path.display().to_string())));
    Ok(Outcome::Fine)
}

/// Returns the `ci.yaml` of the operator, and the name of the template in it.
fn locate_config(template: &Path) -> Result<(PathBuf, &str), Failure> {
    let name = template.file_name().and_then(|name| name.to_str());
    let folder = template.parent().filter(|folder| folder.ends_with("catalog-templates"));
    let operator = folder.and_then(Path::parent);
    match (name, operator) {
        (Some(name), Some(operator)) if template.is_file() => Ok((operator.join(CI_FILE), name)),
        _ => Err(Failure::new(format!("{} is not a template of an operator", template.display()))
            .with_hint("name operators/NAME/catalog-templates/FILE")),
    }
}

fn map_failure(path: &Path, error: &AddCatalogError) -> Failure {
    let failure = Failure::new(format!("{}: {error}", path.display()));
    match error {
        AddCatalogError::NoMapping(template) => {
            failure.with_hint(format!("add an item with template_name: {template} to fbc.catalog_mapping"))
        }
        AddCatalogError::Unsupported(_) => failure.with_hint("write the list of catalogs as a plain list"),
        _ => failure,
    }
}
