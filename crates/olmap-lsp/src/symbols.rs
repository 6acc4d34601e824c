//! Search for packages, channels and bundles by name, in all open catalogs.

use gen_lsp_types::{BaseSymbolInformation, SymbolKind, SymbolTag, WorkspaceSymbol};

use super::{
    DraftCatalog, Encoding,
    location::{self, DocumentSpan},
};
use olm_catalog::{DocId, Span, blob::DeprecationTarget, escape};

/// Maximum number of symbols in an answer. Clients ask again with each typed letter.
const MAX_SYMBOLS: usize = 256;

/// Quality of the match of a name and a query, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum MatchRank {
    Whole,
    Prefix,
    Part,
    Letters,
}

/// Symbol that matches a query.
struct SymbolMatch<'c> {
    rank: MatchRank,
    name: &'c str,
    package: Option<&'c str>,
    kind: SymbolKind,
    at: DocumentSpan,
    is_deprecated: bool,
}

/// Returns the packages, channels and bundles whose names match a query, best match first. The letters of the query
/// must be in the name in their order; the case does not matter.
pub fn workspace_symbols(draft: &DraftCatalog, query: &str, encoding: Encoding) -> Vec<WorkspaceSymbol> {
    let query = query.trim().to_lowercase();
    let mut matches = Vec::new();
    for package in draft.last_valid().packages() {
        let mut add = |name, kind, doc: DocId, span: Span, package, is_deprecated: &dyn Fn() -> bool| {
            if let Some(rank) = rank_match(name, &query) {
                let at = DocumentSpan { doc, span };
                matches.push(SymbolMatch { rank, name, package, kind, at, is_deprecated: is_deprecated() });
            }
        };
        let home = Some(package.name.as_str());
        for blob in &package.definitions {
            let deprecated = || package.deprecation(&DeprecationTarget::Package).is_some();
            add(blob.name.value.as_str(), SymbolKind::Package, blob.doc, blob.name.span, None, &deprecated);
        }
        for blob in &package.channels {
            let name = &blob.name;
            let deprecated = || package.channel_deprecation(&name.value).is_some();
            add(name.value.as_str(), SymbolKind::Enum, blob.doc, name.span, home, &deprecated);
        }
        for blob in &package.bundles {
            let name = &blob.name;
            let deprecated = || package.bundle_deprecation(&name.value).is_some();
            add(name.value.as_str(), SymbolKind::Class, blob.doc, name.span, home, &deprecated);
        }
    }
    matches.sort_by(|a, b| (a.rank, a.name.len(), a.name).cmp(&(b.rank, b.name.len(), b.name)));
    let to_symbol = |found: &SymbolMatch<'_>| {
        let location = location::to_current_location(draft, encoding, found.at)?;
        let name = escape::escape_line(found.name).into_owned();
        let tags = found.is_deprecated.then(|| vec![SymbolTag::Deprecated]);
        let home = found.package.map(|package| escape::escape_line(package).into_owned());
        let symbol = BaseSymbolInformation::new(name, found.kind, tags, home);
        Some(WorkspaceSymbol::new(location.into(), None, symbol))
    };
    matches.iter().filter(|found| !found.name.is_empty()).take(MAX_SYMBOLS).filter_map(to_symbol).collect()
}

/// Returns how a name matches a query in lower case. `None` if it does not match.
fn rank_match(name: &str, query: &str) -> Option<MatchRank> {
    let lower = name.to_lowercase();
    if lower == query {
        return Some(MatchRank::Whole);
    }
    if lower.starts_with(query) {
        return Some(MatchRank::Prefix);
    }
    if lower.contains(query) {
        return Some(MatchRank::Part);
    }
    let mut letters = lower.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted)).then_some(MatchRank::Letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ranked_by_the_kind_of_match() {
        assert_eq!(rank_match("ship.v1.0.0", "ship.v1.0.0"), Some(MatchRank::Whole));
        assert_eq!(rank_match("Ship.v1.0.0", "ship"), Some(MatchRank::Prefix));
        assert_eq!(rank_match("ship.v1.0.0", "v1"), Some(MatchRank::Part));
        assert_eq!(rank_match("ship.v1.0.0", "sv0"), Some(MatchRank::Letters));
        assert_eq!(rank_match("ship.v1.0.0", "0v"), None);
        assert_eq!(rank_match("ship", ""), Some(MatchRank::Prefix));
    }
}
