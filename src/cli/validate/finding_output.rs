//! Output of findings in each format.

use crate::cli::{
    failure::Failure,
    format::FindingsFormat,
    out::Out,
    tee::{self, ExtraOutput},
};
use olmap_report::{
    Style,
    finding::{self, CatalogFindings},
    github, gitlab, json, markdown, sarif,
    scope::Scope,
};

/// Result of a check.
pub struct CheckReport<'a> {
    pub all: &'a [CatalogFindings<'a>],
    /// Scope of the check, if it is limited.
    pub scope: Option<&'a Scope>,
    /// Remark about the baseline.
    pub remark: Option<&'a str>,
}

impl CheckReport<'_> {
    pub fn print(&self, format: FindingsFormat, out: &mut Out) -> anyhow::Result<()> {
        match format {
            FindingsFormat::Github => out.print_commands(&github::finding_commands(self.all))?,
            _ => out.print(&self.render_format(format, &out.style))?,
        }
        let is_text = format == FindingsFormat::Text;
        tee::print_remark(self.remark.filter(|_| !is_text), out);
        let has_place = is_text || format == FindingsFormat::Markdown;
        tee::print_remark(self.scope.filter(|_| !has_place).map(Scope::render_scope).as_deref(), out);
        Ok(())
    }

    pub fn write_extra_output(&self, also: &ExtraOutput<FindingsFormat>) -> Result<(), Failure> {
        match also.format {
            FindingsFormat::Github => also.write_commands(&github::finding_commands(self.all)),
            format => also.write_text(&self.render_format(format, &Style::PLAIN)),
        }
    }

    fn render_format(&self, format: FindingsFormat, style: &Style) -> String {
        match format {
            FindingsFormat::Text => self.render_text(style),
            FindingsFormat::Json => json::to_pretty_json(
                &self.all.iter().flat_map(finding::Row::rows_for_catalog).collect::<Vec<_>>(),
            ),
            FindingsFormat::Sarif => json::to_pretty_json(&sarif::Log::from_catalog_findings(self.all)),
            FindingsFormat::Gitlab => json::to_pretty_json(&gitlab::code_quality_issues(self.all)),
            FindingsFormat::Markdown => markdown::render_findings_comment(self.all, self.scope),
            // Commands have a separate type, and are handled by the caller.
            FindingsFormat::Github => String::new(),
        }
    }

    fn render_text(&self, style: &Style) -> String {
        let mut text = String::new();
        for judged in self.all {
            text.push_str(&finding::render_findings(judged, style));
            text.push_str(&finding::summarize_catalog_findings(judged.catalog, &judged.findings, style));
        }
        text.push_str(&self.scope.map(Scope::render_scope).unwrap_or_default());
        text.push_str(self.remark.unwrap_or_default());
        text
    }
}
