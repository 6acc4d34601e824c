//! Output of findings in each format.

use crate::{
    cli::{
        also::{self, Also},
        failure::Failure,
        format::FindingsFormat,
        out::Out,
    },
    export::{
        Style,
        finding::{self, Judged},
        github, gitlab, json, markdown, sarif,
        scope::Scope,
    },
};

/// Result of a check.
pub struct Answer<'a> {
    pub all: &'a [Judged<'a>],
    /// Scope of the check, if it is limited.
    pub scope: Option<&'a Scope>,
    /// Remark about the baseline.
    pub remark: Option<&'a str>,
}

impl Answer<'_> {
    pub fn print(&self, format: FindingsFormat, out: &mut Out) -> anyhow::Result<()> {
        match format {
            FindingsFormat::Github => out.print_commands(&github::commands(self.all))?,
            _ => out.print(&self.rendered(format, &out.style))?,
        }
        let is_text = format == FindingsFormat::Text;
        also::remark(self.remark.filter(|_| !is_text), out);
        let has_place = is_text || format == FindingsFormat::Markdown;
        also::remark(self.scope.filter(|_| !has_place).map(Scope::text).as_deref(), out);
        Ok(())
    }

    pub fn write(&self, also: &Also<FindingsFormat>) -> Result<(), Failure> {
        match also.format {
            FindingsFormat::Github => also.write_commands(&github::commands(self.all)),
            format => also.write(&self.rendered(format, &Style::PLAIN)),
        }
    }

    fn rendered(&self, format: FindingsFormat, style: &Style) -> String {
        match format {
            FindingsFormat::Text => self.text(style),
            FindingsFormat::Json => {
                json::pretty(&self.all.iter().flat_map(finding::Row::all).collect::<Vec<_>>())
            }
            FindingsFormat::Sarif => json::pretty(&sarif::Log::of(self.all)),
            FindingsFormat::Gitlab => json::pretty(&gitlab::issues(self.all)),
            FindingsFormat::Markdown => markdown::comment(self.all, self.scope),
            // Commands have a separate type, and are handled by the caller.
            FindingsFormat::Github => String::new(),
        }
    }

    fn text(&self, style: &Style) -> String {
        let mut text = String::new();
        for judged in self.all {
            text.push_str(&finding::texts(judged, style));
            text.push_str(&finding::summary(judged.catalog, &judged.findings, style));
        }
        text.push_str(&self.scope.map(Scope::text).unwrap_or_default());
        text.push_str(self.remark.unwrap_or_default());
        text
    }
}
