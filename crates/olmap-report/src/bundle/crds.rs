//! Comparison of two CRDs, or of the CRDs of two bundles, for people and programs.

use serde_json::{Map, Value as Json, json};

use crate::{Ink, Style, json as print};
use olm_bundle::crd::{
    ClassicResult, Comparison, CrdComparison, CrdFinding, CrdLocation, Group, RefusedExample, SetComparison,
    Validation, group_findings,
};

/// Maximum number of fields listed per group.
const MAX_FIELDS: usize = 6;

/// Renders a comparison for people: refused CRDs first, with the consequences and a suggestion for
/// each problem.
pub fn render_crd_set(comparison: &SetComparison, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    let is_refused = |compared: &&CrdComparison| !compared.is_safe() || compared.classic.refuses();
    let (refused, fine): (Vec<_>, Vec<_>) = comparison.crds.iter().partition(is_refused);
    for compared in refused {
        page.write_compared_crd(compared);
        page.out.push('\n');
    }
    page.write_unstable_crds(&fine);
    let (lossy, fine): (Vec<&CrdComparison>, Vec<&CrdComparison>) =
        fine.into_iter().partition(|compared| !compared.classic.served_removed.is_empty());
    for compared in lossy {
        page.write_wrapped(Ink::Warning, "", &describe_removed_versions(compared));
    }
    let names = |list: Vec<&str>| list.join(", ");
    page.write_names(
        "compatible",
        Ink::Good,
        &names(fine.iter().map(|compared| compared.name.as_str()).collect()),
    );
    let listed = |list: &[String]| list.join(", ");
    page.write_names("new", Ink::Text, &listed(&comparison.added));
    page.write_names("no longer there, which OLM v1 does not check", Ink::Text, &listed(&comparison.removed));
    page.write_names("v1beta1, which OLM v1 passes over", Ink::Text, &listed(&comparison.ignored));
    if comparison.crds.is_empty() {
        page.write_wrapped(Ink::Good, "", "no CRD is in both");
    }
    page.out
}

/// Renders a comparison of two CRDs, which may have different names.
pub fn render_crd_pair(compared: &CrdComparison, style: &Style) -> String {
    let mut page = Page { out: String::new(), style };
    if compared.is_safe() && !compared.classic.refuses() {
        page.write_unstable_crds(&[compared]);
        if compared.classic.served_removed.is_empty() {
            page.write_wrapped(Ink::Good, "", &format!("{}: compatible: nothing is refused", compared.name));
        } else {
            page.write_wrapped(Ink::Warning, "", &describe_removed_versions(compared));
        }
    } else {
        page.write_compared_crd(compared);
    }
    page.out
}

/// Describes the effect of removed versions of a CRD that neither OLM refuses.
fn describe_removed_versions(compared: &CrdComparison) -> String {
    let removed = &compared.classic.served_removed;
    let (versions, are) = if removed.len() == 1 { ("version", "is") } else { ("versions", "are") };
    format!(
        "{}: neither OLM refuses it by itself, but {versions} {} {are} removed: clients that use it fail, and clusters with it in \
         status.storedVersions refuse the CRD",
        compared.name,
        removed.join(", ")
    )
}

struct Page<'s> {
    out: String,
    style: &'s Style,
}

impl Page<'_> {
    /// Writes a wrapped sentence. Lines after the first are aligned with its words.
    fn write_wrapped(&mut self, ink: Ink, start: &str, words: &str) {
        self.write_hanging(ink, start, &" ".repeat(start.len()), words);
    }

    /// Writes a wrapped sentence with the indentation `rest` after the first line.
    fn write_hanging(&mut self, ink: Ink, start: &str, rest: &str, words: &str) {
        self.out.push_str(&self.style.paint_wrapped(ink, words, start, rest));
    }

    fn write_names(&mut self, what: &str, ink: Ink, names: &str) {
        if !names.is_empty() {
            self.write_wrapped(ink, "", &format!("{what}: {names}"));
        }
    }

    fn write_compared_crd(&mut self, compared: &CrdComparison) {
        let CrdComparison { name, v1, classic } = compared;
        match v1 {
            Err(error) => self.write_wrapped(Ink::Error, "", &format!("{name}: not compared: {error}")),
            Ok(comparison) => self.write_v1_findings(name, comparison),
        }
        self.write_classic_findings(classic);
    }

    fn write_v1_findings(&mut self, name: &str, comparison: &Comparison) {
        let folded = group_findings(&comparison.findings);
        let total = comparison.findings.len();
        let words = match (total, folded.len()) {
            (0, _) => format!("{name}: OLM v1 lets it pass"),
            (1, _) => format!("{name}: OLM v1 refuses the upgrade: 1 problem"),
            (all, 1) => format!("{name}: OLM v1 refuses the upgrade: 1 problem ({all} findings)"),
            (all, problems) if all == problems => {
                format!("{name}: OLM v1 refuses the upgrade: {all} problems")
            }
            (all, problems) => {
                format!("{name}: OLM v1 refuses the upgrade: {problems} problems ({all} findings)")
            }
        };
        self.write_wrapped(Ink::Bold, "", &words);
        for (at, group) in folded.iter().enumerate() {
            self.write_group(group);
            // Consecutive groups with the same meaning share the explanation.
            let meaning = |group: &Group| (group.first.consequence(), group.first.suggestion());
            if folded.get(at + 1).map(meaning) != Some(meaning(group)) {
                self.write_wrapped(Ink::Text, "    breaks: ", group.first.consequence());
                self.write_wrapped(Ink::Text, "    instead: ", group.first.suggestion());
            }
        }
        self.write_unstable_findings(comparison);
    }

    fn write_group(&mut self, group: &Group) {
        let (mark, ink) = if group.first.is_harmless { ("- ", Ink::Note) } else { ("! ", Ink::Error) };
        self.write_wrapped(ink, &format!("  {mark}"), &group_headline(group));
        self.write_group_fields(group);
    }

    /// Writes the fields of a group, each with its locations.
    fn write_group_fields(&mut self, group: &Group) {
        // One more field needs no more space than "and 1 more".
        let named = if group.fields.len() <= MAX_FIELDS + 1 { MAX_FIELDS + 1 } else { MAX_FIELDS };
        for field in group.fields.iter().take(named) {
            let places: Vec<String> =
                [field.old, field.new].into_iter().flatten().map(format_crd_location).collect();
            let name = match field.below {
                0 => field.display_name().to_owned(),
                1 => format!("{} and 1 field below it", field.display_name()),
                below => format!("{} and {below} fields below it", field.display_name()),
            };
            let places = places.join(" => ");
            let words = match (name.is_empty(), places.is_empty()) {
                (true, _) => places,
                (_, true) => name,
                _ => format!("{name}: {places}"),
            };
            if !words.is_empty() {
                self.write_hanging(Ink::Text, "      ", "        ", &words);
            }
        }
        if let Some(rest) = group.fields.get(named..).filter(|rest| !rest.is_empty()) {
            let below: usize = rest.iter().map(|field| field.below).sum();
            let with = if below == 0 { String::new() } else { format!(", with {below} below them") };
            self.write_wrapped(Ink::Dim, "      ", &format!("and {} more fields{with}", rest.len()));
        }
    }

    fn write_unstable_crds(&mut self, compared: &[&CrdComparison]) {
        for compared in compared {
            if let Ok(comparison) = &compared.v1
                && !comparison.random_findings.is_empty()
            {
                self.write_wrapped(Ink::Bold, "", &format!("{}: unstable", compared.name));
                self.write_unstable_findings(comparison);
                self.out.push('\n');
            }
        }
    }

    fn write_unstable_findings(&mut self, comparison: &Comparison) {
        for group in group_findings(&comparison.random_findings) {
            self.write_wrapped(Ink::Warning, "  ? ", &group_headline(&group));
            self.write_group_fields(&group);
            let words = "unstable: the old CRD had this already, so it is allowed; but OLM v1 compares the names in \
                         random order, and may refuse the upgrade by chance";
            self.write_wrapped(Ink::Text, "      ", words);
        }
    }

    fn write_classic_findings(&mut self, classic: &ClassicResult) {
        if !classic.stored_removed.is_empty() {
            let words = format!(
                "OLM Classic refuses too, for the risk of data loss: stored versions removed: {}",
                classic.stored_removed.join(", ")
            );
            self.write_wrapped(Ink::Error, "  ", &words);
        }
        for example in &classic.examples {
            let of = if example.name.is_empty() { String::new() } else { format!(" {}", example.name) };
            let verb = if classic.only_warns { "warns of" } else { "stops at" };
            let words = format!(
                "OLM Classic {verb} resources like the old bundle's example{of} ({}): {} {}",
                example.version, example.field, example.message
            );
            self.write_wrapped(if classic.only_warns { Ink::Warning } else { Ink::Error }, "  ", &words);
            if let Some(place) = &example.location {
                self.write_wrapped(
                    Ink::Dim,
                    "      ",
                    &format!("the example is in {}", format_crd_location(place)),
                );
            }
        }
        if classic.may_break > 0 {
            let words = if classic.refuses() {
                "OLM Classic does not look at the rest, which may break existing resources"
            } else {
                "OLM Classic only checks the resources on the cluster; what OLM v1 refuses may break existing resources"
            };
            self.write_wrapped(Ink::Warning, "  ", words);
        }
    }
}

/// Formats the heading of a group: `v1alpha1, v1: minLength: minimum increased : 1 -> 2`.
fn group_headline(group: &Group) -> String {
    let CrdFinding { validation, message, .. } = group.first;
    let words = match validation {
        Validation::ExistingFieldRemoval => "removed".to_owned(),
        // All limits have the same message, so the name of the check is added.
        _ if validation.is_limit() => {
            format!("{}: {message}", validation.name())
        }
        _ => message.clone(),
    };
    let of = group.versions.join(", ");
    if of.is_empty() { words } else { format!("{of}: {words}") }
}

fn format_crd_location(place: &CrdLocation) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

/// Renders a comparison for programs (`docs/cli.md`).
pub fn render_crd_set_json(comparison: &SetComparison) -> String {
    let crd = |compared: &CrdComparison| {
        let mut value = Map::new();
        value.insert("name".to_owned(), json!(compared.name));
        value.append(&mut crd_pair_members(compared));
        Json::Object(value)
    };
    let mut value = json!({
        "ok": comparison.is_safe(),
        "crds": comparison.crds.iter().map(crd).collect::<Vec<_>>(),
        "added": comparison.added,
        "removed": comparison.removed,
    });
    if let (Some(object), false) = (value.as_object_mut(), comparison.ignored.is_empty()) {
        object.insert("passedOver".to_owned(), json!(comparison.ignored));
    }
    print::to_pretty_json(&value)
}

/// Renders a comparison of two CRDs for programs.
pub fn render_crd_pair_json(compared: &CrdComparison) -> String {
    print::to_pretty_json(&Json::Object(crd_pair_members(compared)))
}

/// Renders a comparison of two CRDs on one line, with only the fields that the preflight check has.
pub fn render_preflight_json_line(comparison: &Comparison) -> String {
    let mut value = Map::new();
    value.insert("ok".to_owned(), json!(comparison.is_safe()));
    let findings =
        |list: &[CrdFinding]| list.iter().map(preflight_finding_json).map(Json::Object).collect::<Vec<_>>();
    value.insert("findings".to_owned(), json!(findings(&comparison.findings)));
    if !comparison.random_findings.is_empty() {
        value.insert("byChance".to_owned(), json!(findings(&comparison.random_findings)));
    }
    print::to_json_line(&value)
}

fn crd_pair_members(compared: &CrdComparison) -> Map<String, Json> {
    let mut value = Map::new();
    value.insert("ok".to_owned(), json!(compared.is_safe()));
    match &compared.v1 {
        Err(error) => {
            value.insert("error".to_owned(), json!(error.to_string()));
        }
        Ok(comparison) => {
            let list = |list: &[CrdFinding]| {
                list.iter().map(full_finding_json).map(Json::Object).collect::<Vec<_>>()
            };
            value.insert("findings".to_owned(), json!(list(&comparison.findings)));
            if !comparison.random_findings.is_empty() {
                value.insert("byChance".to_owned(), json!(list(&comparison.random_findings)));
            }
        }
    }
    let classic = &compared.classic;
    let example = |example: &RefusedExample| {
        let mut value = json!({
            "name": example.name,
            "version": example.version,
            "field": example.field,
            "message": example.message,
        });
        if let (Some(object), Some(at)) = (value.as_object_mut(), example.location.as_ref()) {
            object.insert("at".to_owned(), crd_location_json(at));
        }
        value
    };
    let classic = json!({
        "ok": !classic.refuses(),
        "storedVersionsRemoved": classic.stored_removed,
        "servedVersionsRemoved": classic.served_removed,
        "examples": classic.examples.iter().map(example).collect::<Vec<_>>(),
        "onlyWarns": classic.only_warns,
        "mayBreak": classic.may_break,
    });
    value.insert("classic".to_owned(), classic);
    value
}

/// Returns a finding with the fields that the preflight check has.
fn preflight_finding_json(finding: &CrdFinding) -> Map<String, Json> {
    let mut value = Map::new();
    value.insert("check".to_owned(), json!(finding.check.name()));
    if let Some(version) = finding.reported_version() {
        value.insert("version".to_owned(), json!(version));
    }
    if let Some(property) = finding.reported_property() {
        value.insert("property".to_owned(), json!(property));
    }
    value.insert("validation".to_owned(), json!(finding.validation.name()));
    value.insert("message".to_owned(), json!(finding.message));
    value
}

/// Returns a finding with its meaning and its locations.
fn full_finding_json(finding: &CrdFinding) -> Map<String, Json> {
    let mut value = preflight_finding_json(finding);
    value.insert("harmless".to_owned(), json!(finding.is_harmless));
    value.insert("breaks".to_owned(), json!(finding.consequence()));
    value.insert("instead".to_owned(), json!(finding.suggestion()));
    for (key, side) in [("old", &finding.old), ("new", &finding.new)] {
        if let Some(at) = side {
            value.insert(key.to_owned(), crd_location_json(at));
        }
    }
    value
}

fn crd_location_json(place: &CrdLocation) -> Json {
    json!({"file": &*place.file, "line": place.line, "column": place.column})
}
