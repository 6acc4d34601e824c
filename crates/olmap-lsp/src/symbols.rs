//! Search for packages, channels and bundles by name, in all open catalogs.

use gen_lsp_types::{BaseSymbolInformation, SymbolKind, SymbolTag, WorkspaceSymbol};

use super::{
    DraftCatalog, Encoding,
    location::{self, DocumentSpan},
};
use olm_catalog::{DocId, Span, blob::DeprecationTarget, escape};

/// Maximum number of symbols in an answer, over all catalogs. Clients ask again with each typed letter.
pub const MAX_SYMBOLS: usize = 256;

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

/// Returns the packages, channels and bundles whose names match a query, catalog by catalog, best match first. The
/// letters of the query must be in the name in their order; the case does not matter. If there are more than
/// [`MAX_SYMBOLS`], the catalogs share them equally, and the part that a catalog does not need goes to the others.
pub fn workspace_symbols<'d>(
    drafts: impl IntoIterator<Item = &'d DraftCatalog>,
    query: &str,
    encoding: Encoding,
) -> Vec<WorkspaceSymbol> {
    let query = query.trim().to_lowercase();
    let all: Vec<_> = drafts.into_iter().map(|draft| (draft, find_matches(draft, &query))).collect();
    let counts: Vec<usize> = all.iter().map(|(_, matches)| matches.len()).collect();
    let shares = share_equally(&counts, MAX_SYMBOLS);
    let to_symbols = |((draft, matches), share): (&(&DraftCatalog, Vec<SymbolMatch<'_>>), usize)| {
        let shown = matches.iter().take(share);
        shown.filter_map(|found| to_symbol(draft, found, encoding)).collect::<Vec<_>>()
    };
    all.iter().zip(shares).flat_map(to_symbols).collect()
}

/// Distributes a limit over lists of different lengths: equal shares, of which none is larger than its list.
fn share_equally(counts: &[usize], limit: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|at| counts.get(*at));
    let mut shares = vec![0; counts.len()];
    let mut left = limit;
    for (done, at) in order.iter().enumerate() {
        // The lists that are left are at least as long.
        let share = left / (counts.len() - done);
        if let (Some(slot), Some(count)) = (shares.get_mut(*at), counts.get(*at)) {
            *slot = share.min(*count);
            left -= *slot;
        }
    }
    shares
}

fn to_symbol(draft: &DraftCatalog, found: &SymbolMatch<'_>, encoding: Encoding) -> Option<WorkspaceSymbol> {
    let location = location::to_current_location(draft, encoding, found.at)?;
    let name = escape::escape_line(found.name).into_owned();
    let tags = found.is_deprecated.then(|| vec![SymbolTag::Deprecated]);
    let home = found.package.map(|package| escape::escape_line(package).into_owned());
    let symbol = BaseSymbolInformation::new(name, found.kind, tags, home);
    Some(WorkspaceSymbol::new(location.into(), None, symbol))
}

/// Returns the matches of a query in a catalog, best first.
fn find_matches<'d>(draft: &'d DraftCatalog, query: &str) -> Vec<SymbolMatch<'d>> {
    let mut matches = Vec::new();
    for package in draft.last_valid().packages() {
        let mut add = |name, kind, doc: DocId, span: Span, package, is_deprecated: &dyn Fn() -> bool| {
            if let Some(rank) = rank_match(name, query) {
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
    matches.retain(|found| !found.name.is_empty());
    matches
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
    fn catalogs_share_the_limit_equally() {
        assert_eq!(share_equally(&[], 10), [0; 0]);
        assert_eq!(share_equally(&[3, 4], 10), [3, 4]);
        assert_eq!(share_equally(&[100, 100], 10), [5, 5]);
        assert_eq!(share_equally(&[100, 2, 100], 10), [4, 2, 4], "what one does not need goes to the others");
        assert_eq!(share_equally(&[100, 100, 100], 10), [3, 3, 4]);
        assert_eq!(share_equally(&[1; 12], 10).iter().sum::<usize>(), 10);
    }

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
