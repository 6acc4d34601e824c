//! Action that fetches bundle images.

use std::collections::BTreeSet;

use super::selected_package;
use crate::tui::{
    dialogs::image_fetch::{FetchChoice, ImageFetch},
    keys::{
        Screen,
        spec::{Enabled, Reason},
    },
    session::{
        action::Target,
        context::{Context, ViewContext},
    },
};
use olm_catalog::{BundleName, ChannelName, blob::BundleBlob, image_ref, package::Package};

/// Returns the sets of images that can be fetched: selected bundle, its channel, whole package.
/// Leaves out sets with the same images as a smaller one.
fn fetch_choices(target: &Target, view_cx: &ViewContext<'_>) -> Result<Vec<FetchChoice>, Reason> {
    let package_state = selected_package(target, view_cx)?;
    let package = package_state.package();
    let mut choices: Vec<FetchChoice> = Vec::new();
    let mut add = |label: String, bundles: Vec<&BundleBlob>| {
        let choice = build_fetch_choice(label, bundles);
        if !choice.images.is_empty() && choices.iter().all(|other| other.images != choice.images) {
            choices.push(choice);
        }
    };
    if let Some(bundle) = target.bundle.as_ref().and_then(|name| package.bundle(name.as_str())) {
        add(bundle.name.value.to_string(), vec![bundle]);
    }
    if let Some(channel) = target.channel.as_ref().and_then(|name| package.channel(name.as_str())) {
        add(channel_label(&channel.name.value), bundles_in_channel(package, channel.name.value.as_str()));
    }
    add(format!("package {}", package.name), package.bundles.iter().map(AsRef::as_ref).collect());
    Ok(choices)
}

fn channel_label(channel: &ChannelName) -> String {
    format!("channel {channel}")
}

fn bundles_in_channel<'p>(package: &'p Package, channel: &str) -> Vec<&'p BundleBlob> {
    let entries: BTreeSet<&BundleName> = package
        .channel(channel)
        .into_iter()
        .flat_map(|channel| &channel.entries)
        .map(|entry| &entry.name.value)
        .collect();
    package.bundles.iter().map(AsRef::as_ref).filter(|bundle| entries.contains(&bundle.name.value)).collect()
}

/// Builds the choice from the bundles that have an image, without duplicate images.
fn build_fetch_choice(label: String, bundles: Vec<&BundleBlob>) -> FetchChoice {
    let mut seen = BTreeSet::new();
    let images = bundles.into_iter().filter_map(|bundle| {
        let image = &bundle.image.as_ref()?.value;
        seen.insert(image).then(|| (bundle.name.value.clone(), image.clone()))
    });
    let mut images: Vec<(BundleName, String)> = images.collect();
    images.sort();
    let host = |image: &str| image_ref::parse_image_ref(image).ok().map(|image| image.host().to_owned());
    let hosts: BTreeSet<String> = images.iter().filter_map(|(_, image)| host(image)).collect();
    FetchChoice { label, images, hosts: hosts.into_iter().collect() }
}

pub(super) fn can_fetch(target: &Target, view_cx: &ViewContext<'_>) -> Enabled {
    if cfg!(not(feature = "images")) {
        return Err("this olmap was built without the feature images".into());
    }
    if view_cx.settings.open_options.access.offline {
        return Err("no connection may be opened (--offline)".into());
    }
    if view_cx.settings.open_options.access.cache.is_none() {
        return Err("there is no cache to keep them in: no home directory".into());
    }
    if view_cx.session.jobs.image_fetch.is_running() {
        return Err("images are being fetched".into());
    }
    if selected_package(target, view_cx)?.package().bundles.iter().all(|bundle| bundle.image.is_none()) {
        return Err("no bundle of the package has an image".into());
    }
    Ok(())
}

pub(super) fn open_fetch_dialog(target: &mut Target, cx: &mut Context<'_>) {
    let Some(package) = target.package.clone() else { return };
    let Ok(choices) = fetch_choices(target, &cx.view()) else { return };
    // The Bundle screen starts with the bundle, other screens with its channel.
    let of_channel = target.channel.as_ref().map(channel_label);
    let is_meant = |choice: &FetchChoice| Some(&choice.label) == of_channel.as_ref();
    let channel = choices.iter().position(is_meant).unwrap_or_default();
    let cursor = if cx.session.navigation.screen == Screen::Bundle { 0 } else { channel };
    cx.open_dialog(ImageFetch::new(package, choices, cursor));
}
