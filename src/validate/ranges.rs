//! Rules about ranges that opm accepts but that are probably wrong.

use super::{
    diagnostic::Diagnostic,
    findings::Findings,
    rule::Rule,
    rules,
    subject::Subject,
    words::{bare, count, list, named},
};
use crate::{
    catalog::{
        Span,
        blob::{ChannelBlob, Dependency, Entry},
    },
    version::blang::{OddityKind, Range},
};

/// Parsed skipRange.
struct Readable<'a> {
    channel: &'a ChannelBlob,
    entry: &'a Entry,
    text: &'a str,
    span: Span,
    range: &'a Range,
}

fn readable<'a>(s: &Subject<'a>) -> impl Iterator<Item = Readable<'a>> {
    s.entries().filter_map(|(channel, entry)| {
        let skip_range = entry.skip_range.as_ref()?;
        let range = skip_range.range.as_ref().ok()?;
        Some(Readable { channel, entry, text: &skip_range.text.value, span: skip_range.text.span, range })
    })
}

impl Readable<'_> {
    fn finding(&self, rule: &'static Rule, what: &str) -> Diagnostic {
        Diagnostic::new(
            rule,
            format!("skipRange `{}` of {} {what}", self.text, bare("entry", &self.entry.name.value)),
        )
        .channel(&self.channel.name.value)
        .bundle(&self.entry.name.value)
        .at(self.channel.doc, self.span)
    }
}

pub(super) fn crashes(s: &Subject<'_>, found: &mut Findings) {
    for it in readable(s).filter(|it| it.range.crashes()) {
        found.push(it.finding(&rules::RANGE_CRASHES_OLM, "has an empty alternative, which crashes OLM"));
    }
}

pub(super) fn oddity(s: &Subject<'_>, found: &mut Findings) {
    for it in readable(s) {
        for oddity in it.range.oddities() {
            let what = match &oddity.kind {
                OddityKind::Ignored(c) => format!("has a `{c}`, which OLM ignores"),
                OddityKind::OperatorDropped { operator, becomes } => {
                    format!("means `{becomes}`: OLM drops the `{operator}`")
                }
                OddityKind::MinorIsFixed => "lets only the patch version vary".to_owned(),
                // Other rules report these.
                OddityKind::NeverMatches | OddityKind::EmptyAlternative => continue,
            };
            let help = format!("OLM reads it as `{}`: write that, or what you meant", it.range);
            found.push(it.finding(&rules::RANGE_ODDITY, &what).help(help));
        }
    }
}

pub(super) fn matches_nothing(s: &Subject<'_>, found: &mut Findings) {
    for it in readable(s).filter(|it| it.range.is_empty() && !it.range.crashes()) {
        found.push(it.finding(&rules::RANGE_MATCHES_NOTHING, "matches no version"));
    }
}

pub(super) fn unbounded(s: &Subject<'_>, found: &mut Findings) {
    for it in readable(s).filter(|it| it.range.is_unbounded_above()) {
        let what = "has no upper bound, so it includes every later version";
        found.push(it.finding(&rules::RANGE_UNBOUNDED, what));
    }
}

pub(super) fn matches_self<'a>(s: &Subject<'a>, found: &mut Findings) {
    let own = |it: &Readable<'a>| {
        let own = s.version(&it.entry.name.value)?;
        it.range.matches(&own.version).then_some(&own.version)
    };
    let matching = readable(s).filter(|it| !it.range.is_unbounded_above() && own(it).is_some());
    let matching: Vec<Readable<'_>> = matching.collect();
    for of_channel in matching.chunk_by(|a, b| a.channel.doc == b.channel.doc) {
        let names = s.newest_first(of_channel.iter().map(|it| &it.entry.name.value));
        let newest = of_channel.iter().find(|it| names.first() == Some(&&it.entry.name.value));
        let Some((newest, own)) = newest.and_then(|it| Some((it, own(it)?))) else { continue };
        let mut finding =
            newest.finding(&rules::RANGE_MATCHES_SELF, &format!("includes its own version {own}"));
        if names.len() > 1 {
            finding.message = format!(
                "{} of {} have a skipRange that includes their own version: {}",
                count(names.len(), "entry", "entries"),
                named("channel", &newest.channel.name.value),
                list(&names)
            );
            finding = finding.names(&names);
        }
        found.push(finding);
    }
}

pub(super) fn bad_required_range(s: &Subject<'_>, found: &mut Findings) {
    for bundle in &s.package.bundles {
        for dependency in &bundle.requires {
            let Dependency::Package { span, package, range } = dependency else { continue };
            let Err(error) = Range::parse(range) else { continue };
            let message =
                format!("bundle {} requires {package} with range `{range}`: {error}", bundle.name.value);
            let mut finding = Diagnostic::new(&rules::BAD_REQUIRED_RANGE, message).bundle(&bundle.name.value);
            if let Some(hint) = error.hint {
                finding = finding.help(hint);
            }
            found.push(finding.at(bundle.doc, *span));
        }
    }
}
