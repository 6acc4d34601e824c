//! `olmap edit withdraw`: a release taken out of channels, while all other versions keep their upgrades.

use super::operation::resolve_bundle;
use super::shared_args::Where;
use crate::cli::{Failure, source};
use olm_catalog::{Catalog, ChannelName};
use olm_edit::{Edit, EditError, Withdrawal};
use olm_upgrade::PackageGraph;

#[derive(Debug, clap::Args)]
pub struct Withdraw {
    /// Bundle: its name, or its version if only one bundle has it.
    pub bundle: String,
    /// Channel to withdraw it from, instead of all channels. Can be repeated.
    #[arg(long = "channel", short = 'c', value_name = "NAME")]
    channels: Vec<String>,
    #[command(flatten)]
    pub where_: Where,
}

impl Withdraw {
    /// Returns the edit of a catalog or template, and messages for the user.
    pub fn build_edit(
        &self,
        catalog: &Catalog,
        graph: &PackageGraph,
    ) -> Result<(Edit, Vec<String>), Failure> {
        let package = &graph.package;
        let bundle = resolve_bundle(graph, &self.bundle)?;
        let channels: Vec<ChannelName> = self.channels.iter().map(|name| name.as_str().into()).collect();
        let planned = match catalog.template().and_then(|template| template.semver()) {
            Some(template) => Withdrawal::plan_for_template(template, package, &bundle, &channels),
            None => Withdrawal::plan(package, &bundle, &channels),
        };
        let withdrawal = planned.map_err(|error| match &error {
            EditError::NoChannel(channel) => source::no_channel_failure(package, channel.as_str()),
            EditError::EmptyChannel(channel) => Failure::new(error.to_string()).with_hint(format!(
                "olmap edit remove-channel {channel}, or name other channels with --channel"
            )),
            _ => Failure::new(error.to_string()),
        })?;
        let names: Vec<&str> = withdrawal.stays_in.iter().map(AsRef::as_ref).collect();
        let stays = (!names.is_empty()).then(|| {
            let names = names.join(", ");
            format!("installed {bundle} stays ({names}): release a higher version that skips it")
        });
        Ok((withdrawal.edit, stays.into_iter().collect()))
    }
}
