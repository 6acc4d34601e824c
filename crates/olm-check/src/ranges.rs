//! Rules about ranges that opm accepts but that are probably wrong.

use super::{
    finding::Finding,
    findings::Findings,
    format::{format_list, format_name, format_with_kind, pluralize},
    rule::Rule,
    rules,
    subject::PackageSubject,
};
use olm_catalog::{
    Span,
    blob::{ChannelBlob, Dependency, Entry},
};
use olm_version::blang::{QuirkKind, Range};

/// Parsed skipRange.
struct ReadableRange<'a> {
    channel: &'a ChannelBlob,
    entry: &'a Entry,
    text: &'a str,
    span: Span,
    range: &'a Range,
}

fn readable_ranges<'a>(s: &PackageSubject<'a>) -> impl Iterator<Item = ReadableRange<'a>> {
    s.all_entries().filter_map(|(channel, entry)| {
        let skip_range = entry.skip_range.as_ref()?;
        let range = skip_range.range.as_ref().ok()?;
        Some(ReadableRange {
            channel,
            entry,
            text: &skip_range.text.value,
            span: skip_range.text.span,
            range,
        })
    })
}

impl ReadableRange<'_> {
    fn range_finding(&self, rule: &'static Rule, what: &str) -> Finding {
        Finding::new(
            rule,
            format!("skipRange `{}` of {} {what}", self.text, format_name("entry", &self.entry.name.value)),
        )
        .with_channel(&self.channel.name.value)
        .with_bundle(&self.entry.name.value)
        .at_span(self.channel.doc, self.span)
    }
}

pub(super) fn crashes(s: &PackageSubject<'_>, found: &mut Findings) {
    for it in readable_ranges(s).filter(|it| it.range.may_crash()) {
        found
            .push(it.range_finding(&rules::RANGE_CRASHES_OLM, "has an empty alternative, which crashes OLM"));
    }
}

pub(super) fn oddity(s: &PackageSubject<'_>, found: &mut Findings) {
    for it in readable_ranges(s) {
        for what in it.range.quirks().iter().filter_map(|quirk| describe_oddity(&quirk.kind)) {
            found.push(it.range_finding(&rules::RANGE_ODDITY, &what).with_help(oddity_help(it.range)));
        }
    }
    for bundle in &s.package.bundles {
        for dependency in &bundle.requires {
            let Dependency::Package { span, package, range: text } = dependency else { continue };
            let Ok(range) = Range::parse(text) else { continue };
            for what in range.quirks().iter().filter_map(|quirk| describe_oddity(&quirk.kind)) {
                let message = format!(
                    "range `{text}` of package {package}, which bundle {} requires, {what}",
                    bundle.name.value
                );
                let detail = message.clone();
                let finding = Finding::new(&rules::RANGE_ODDITY, message).with_bundle(&bundle.name.value);
                found.push(
                    finding.with_detail(detail).with_help(oddity_help(&range)).at_span(bundle.doc, *span),
                );
            }
        }
    }
}

/// Describes a quirk as the end of a sentence; `None` for those that other rules report.
fn describe_oddity(kind: &QuirkKind) -> Option<String> {
    Some(match kind {
        QuirkKind::Ignored(c) => format!("has a `{c}`, which OLM ignores"),
        QuirkKind::OperatorDropped { operator, becomes } => {
            format!("means `{becomes}`: OLM drops the `{operator}`")
        }
        QuirkKind::MinorIsFixed => "lets only the patch version vary".to_owned(),
        QuirkKind::Placeholder { becomes } => format!("means `{becomes}`: OLM reads the `x` as 0"),
        QuirkKind::NeverMatches | QuirkKind::EmptyAlternative => return None,
    })
}

fn oddity_help(range: &Range) -> String {
    format!("OLM reads it as `{range}`: write that, or what you meant")
}

pub(super) fn matches_nothing(s: &PackageSubject<'_>, found: &mut Findings) {
    for it in readable_ranges(s).filter(|it| it.range.is_empty() && !it.range.may_crash()) {
        found.push(it.range_finding(&rules::RANGE_MATCHES_NOTHING, "matches no version"));
    }
}

pub(super) fn unbounded(s: &PackageSubject<'_>, found: &mut Findings) {
    for it in readable_ranges(s).filter(|it| it.range.is_unbounded_above()) {
        let what = "has no upper bound, so it includes every later version";
        found.push(it.range_finding(&rules::RANGE_UNBOUNDED, what));
    }
}

pub(super) fn matches_self<'a>(s: &PackageSubject<'a>, found: &mut Findings) {
    let own = |it: &ReadableRange<'a>| {
        let own = s.version_of(&it.entry.name.value)?;
        it.range.matches(&own.version).then_some(&own.version)
    };
    let matching = readable_ranges(s).filter(|it| !it.range.is_unbounded_above() && own(it).is_some());
    let matching: Vec<ReadableRange<'_>> = matching.collect();
    for of_channel in matching.chunk_by(|a, b| a.channel.doc == b.channel.doc) {
        let names = s.newest_first(of_channel.iter().map(|it| &it.entry.name.value));
        let newest = of_channel.iter().find(|it| names.first() == Some(&&it.entry.name.value));
        let Some((newest, own)) = newest.and_then(|it| Some((it, own(it)?))) else { continue };
        let mut finding =
            newest.range_finding(&rules::RANGE_MATCHES_SELF, &format!("includes its own version {own}"));
        if names.len() > 1 {
            finding.message = format!(
                "{} of {} have a skipRange that includes their own version: {}",
                pluralize(names.len(), "entry", "entries"),
                format_with_kind("channel", &newest.channel.name.value),
                format_list(&names)
            );
            finding = finding.with_names(&names);
        }
        found.push(finding);
    }
}

pub(super) fn bad_required_range(s: &PackageSubject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        for dependency in &bundle.requires {
            let Dependency::Package { span, package, range } = dependency else { continue };
            let Err(error) = Range::parse(range) else { continue };
            let message =
                format!("bundle {} requires {package} with range `{range}`: {error}", bundle.name.value);
            let mut finding =
                Finding::new(&rules::BAD_REQUIRED_RANGE, message).with_bundle(&bundle.name.value);
            if let Some(hint) = error.hint {
                finding = finding.with_help(hint);
            }
            found.push(finding.at_span(bundle.doc, *span));
        }
    }
}
