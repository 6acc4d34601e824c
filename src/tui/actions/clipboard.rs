//! Texts that can be copied from the selection. Pure: the runtime writes them to the clipboard.

use super::{selected_bundle, selected_package};
use crate::tui::{
    keys::spec::Reason,
    session::{action::Target, context::ViewContext},
    work::{Source, effect::ClipboardText},
};
use olm_catalog::{
    BundleName, ChannelName, PackageName,
    node::{Node, Value},
    package::Package,
    span::Span,
    text::emit,
};
use olm_upgrade::{
    Engine, Installed,
    path::{PathReport, UpgradeContext},
    v1::{Policy, Query},
};
use olmap_report::{Style, escape, path};

type CopyResult = Result<ClipboardText, Reason>;

/// Returns a one-line text that is harmless wherever it is pasted.
fn copied_line(text: &str) -> ClipboardText {
    let text = escape::escape_line(text).into_owned();
    ClipboardText { description: text.clone(), text }
}

/// Returns the name of the bundle.
pub(super) fn bundle_name_text(target: &Target, _: &ViewContext<'_>) -> CopyResult {
    Ok(copied_line(selected_bundle(target)?.as_str()))
}

/// Returns the image of the bundle.
pub(super) fn bundle_image_text(target: &Target, view_cx: &ViewContext<'_>) -> CopyResult {
    let name = selected_bundle(target)?;
    let blob = selected_package(target, view_cx)
        .ok()
        .and_then(|package_state| package_state.package().bundle(name.as_str()));
    let image = blob.ok_or("the selected entry has no bundle in this catalog")?.image.as_ref();
    Ok(copied_line(&image.ok_or("the bundle has no image")?.value))
}

/// Returns the file and line of the selection.
pub(super) fn location_text(target: &Target, view_cx: &ViewContext<'_>) -> CopyResult {
    let spot = view_cx.session.catalogs.locate_target(target)?;
    Ok(copied_line(&format!("{}:{}", spot.path.display(), spot.line)))
}

/// Returns the entry as canonical YAML, in the form of a channel's list item.
pub(super) fn entry_yaml(target: &Target, view_cx: &ViewContext<'_>) -> CopyResult {
    let name = selected_bundle(target)?;
    let snapshot = view_cx.session.snapshot().ok_or("no catalog is open")?;
    let channel = selected_package(target, view_cx).ok().zip(target.channel.as_ref());
    let channel =
        channel.and_then(|(package_state, channel)| package_state.package().channel(channel.as_str()));
    let channel = channel.ok_or("no channel is selected")?;
    let entry = channel.entries.iter().find(|entry| entry.name.value == *name);
    let entry = entry.ok_or_else(|| format!("{name} is not an entry of {}", channel.name.value))?;
    let tree = snapshot.catalog.parse_document(channel.doc).and_then(Result::ok);
    let node =
        tree.as_ref().and_then(|tree| find_node_at(tree, entry.span)).ok_or("the entry cannot be read")?;
    let list = Node::new(Value::List(vec![node.clone()]), Span::default());
    Ok(ClipboardText {
        description: format!("the entry {}", escape::escape_line(name.as_str())),
        text: emit::write_yaml(&list),
    })
}

/// Returns the node with the given span in the document.
fn find_node_at<'n, 'a>(node: &'n Node<'a>, span: Span) -> Option<&'n Node<'a>> {
    if node.span == span {
        return Some(node);
    }
    let members = node.members().iter().map(|member| &member.value);
    members.chain(node.items()).find_map(|node| find_node_at(node, span))
}

/// Returns both ends of the path to list. With a mark: from the marked to the selected bundle.
/// Otherwise: from the selected bundle to the head of the channel.
pub(super) fn path_ends(
    target: &Target,
    view_cx: &ViewContext<'_>,
) -> Result<(BundleName, BundleName), Reason> {
    let here = selected_bundle(target)?.clone();
    let marked = view_cx
        .session
        .navigation
        .marked_bundle
        .as_ref()
        .filter(|(of, _)| target.package.as_ref() == Some(of));
    if let Some((_, mark)) = marked.filter(|(_, mark)| *mark != here) {
        return Ok((mark.clone(), here));
    }
    let channel = target.channel.as_ref().ok_or("no channel is selected")?;
    let upgrades = selected_package(target, view_cx)
        .ok()
        .and_then(|package_state| package_state.graph.channel(channel.as_str()));
    let head = upgrades.and_then(|upgrades| upgrades.graph.head());
    let head = head.ok_or_else(|| format!("{channel} does not have exactly one head"))?;
    Ok((here, head.name.clone()))
}

/// Returns the upgrade path between both ends under OLM Classic and v1, hop by hop.
pub(super) fn upgrade_path_text(target: &Target, view_cx: &ViewContext<'_>) -> CopyResult {
    let (from, to) = path_ends(target, view_cx)?;
    let package_state = selected_package(target, view_cx)?;
    let channel = target.channel.clone().ok_or("no channel is selected")?;
    let installed = Installed::from_package(package_state.package(), &from);
    let style = Style { ascii: view_cx.settings.ascii, ..Style::PLAIN };
    let contexts =
        [UpgradeContext::Classic(channel), UpgradeContext::V1(view_cx.session.upgrade_query.query.clone())];
    let routes = contexts.iter().map(|by| PathReport::new(&package_state.graph, by, &installed, &to));
    let safety = view_cx.session.catalogs.safety().map(AsRef::as_ref);
    let routes: Vec<String> = routes.map(|route| path::render_route(&route, safety, &style)).collect();
    let heading = format!("{}: {from} to {to}", package_state.package().name);
    let text = format!("{}\n\n{}", escape::escape_line(&heading), routes.join("\n"));
    let short = |name: &BundleName| package_state.package().short_name(name);
    Ok(ClipboardText { description: format!("the path from {} to {}", short(&from), short(&to)), text })
}

/// Refuses if `olmap successors` cannot print the answers for the selection.
pub(super) fn can_build_command(target: &Target, view_cx: &ViewContext<'_>) -> Result<(), Reason> {
    match view_cx.session.current_catalog().map(|open| &open.source) {
        None => Err("no catalog is open".to_owned()),
        Some(Source::Demo) => Err("the demo is built into the explorer; commands cannot read it".to_owned()),
        Some(_) => Ok(()),
    }?;
    let package = selected_package(target, view_cx)?.package();
    match &target.bundle {
        // The command needs the version of the bundle, and a missing bundle only has a name.
        Some(name) if package.bundle(name.as_str()).is_none() => {
            Err(format!("{name} is not in this catalog"))
        }
        _ => Ok(()),
    }
}

/// Returns the `olmap successors` commands that print what the Upgrades screen shows.
pub(super) fn successors_commands(target: &Target, view_cx: &ViewContext<'_>) -> CopyResult {
    can_build_command(target, view_cx)?;
    let path = match view_cx.session.current_catalog().map(|open| &open.source) {
        Some(Source::Path(path)) => path.display().to_string(),
        Some(Source::Revision(revision)) => revision.label(),
        _ => "-".to_owned(),
    };
    let package_state = selected_package(target, view_cx)?;
    let package = package_state.package();
    let question = UpgradeQuestion {
        path: &path,
        package: &package.name,
        installed: target.bundle.as_ref(),
        subscribed: view_cx.session.subscribed_channel(),
        query: &view_cx.session.upgrade_query.query,
    };
    let text = question.build_commands(package).join("\n");
    let unsaved = view_cx.session.current_catalog().is_some_and(|open| open.unsaved_count() > 0);
    let what = match (unsaved || view_cx.session.catalogs.what_if().is_some(), text.contains('\n')) {
        (true, _) => "the command (it reads the files on disk)",
        (false, false) => "the command",
        (false, true) => "the commands for Classic and v1",
    };
    Ok(ClipboardText { description: what.to_owned(), text })
}

/// Arguments of `olmap successors` that reproduce the answers of the Upgrades screen.
struct UpgradeQuestion<'a> {
    path: &'a str,
    package: &'a PackageName,
    installed: Option<&'a BundleName>,
    /// Channel of the Subscription for OLM Classic.
    subscribed: Option<&'a ChannelName>,
    /// Query for OLM v1.
    query: &'a Query,
}

impl UpgradeQuestion<'_> {
    /// Returns one command if both OLMs use the same channels, otherwise one for each OLM.
    fn build_commands(&self, package: &Package) -> Vec<String> {
        let subscribed: Vec<&ChannelName> = self.subscribed.into_iter().collect();
        let channels: Vec<&ChannelName> = self.query.channels.iter().collect();
        // Without a channel, Classic uses the default channel and v1 uses all channels.
        let by_default = self.subscribed == package.default_channel() && channels.is_empty();
        if by_default || subscribed == channels {
            return vec![self.build_command(&channels, None)];
        }
        vec![
            self.build_command(&subscribed, Some(Engine::Classic)),
            self.build_command(&channels, Some(Engine::V1)),
        ]
    }

    fn build_command(&self, channels: &[&ChannelName], engine: Option<Engine>) -> String {
        let mut words = vec!["olmap".to_owned(), "successors".to_owned(), self.path.to_owned()];
        let mut option = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        option("--package", self.package.as_str());
        if let Some(installed) = self.installed {
            option("--installed", installed.as_str());
        }
        for channel in channels {
            option("--channel", channel.as_str());
        }
        if let Some(engine) = engine {
            option("--engine", engine.as_str());
        }
        if engine != Some(Engine::Classic) {
            if !self.query.version.is_empty() {
                option("--version", &self.query.version);
            }
            if self.query.policy != Policy::default() {
                option("--policy", self.query.policy.as_str());
            }
        }
        let quoted = words.iter().map(|word| shell_words::quote(&escape::escape_line(word)).into_owned());
        quoted.collect::<Vec<_>>().join(" ")
    }
}
