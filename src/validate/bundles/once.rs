//! Each thing is told once: verdicts that say the same, follow from another, or are one for each of many things.

use std::collections::{HashMap, HashSet};

use super::{
    BundleFix, Questions,
    verdicts::{self, By},
};
use crate::{
    bundle::{
        Tree, TreeFile,
        suites::{Cause, Level, Suite, Verdict},
    },
    validate::words::list,
};

/// Leaves out what another suite says, too: opm's suite `content` runs two of the api library's, and asks for the same CRDs.
pub(super) fn leave_out_repeated(found: &mut Vec<By>) {
    let is_of_content = |verdict: &Verdict| verdict.validator == Suite::Content.name();
    let mut words = HashSet::new();
    let mut causes = HashSet::new();
    let mut wrong_names = HashSet::new();
    for (_, verdict) in found.iter() {
        if let Some(Cause::OwnedName(name)) = &verdict.cause {
            wrong_names.insert(name.clone());
        }
        if !is_of_content(verdict) {
            words.insert(key(verdict));
            causes.extend(verdict.cause.clone());
        }
    }
    found.retain(|(_, verdict)| {
        let follows = match &verdict.cause {
            // No CRD can have a name that is none.
            Some(Cause::OwnedCrd { name, .. }) if wrong_names.contains(name) => true,
            Some(cause) => is_of_content(verdict) && causes.contains(cause),
            None => false,
        };
        let is_repeated = is_of_content(verdict) && words.contains(&key(verdict));
        !(follows || is_repeated)
    });
}

/// A place alone tells little: the same words are meant, but for the file's name before them.
fn key(verdict: &Verdict) -> (Option<(String, u32, u32)>, Level, String) {
    let place = verdict.place.as_ref();
    let file = place.map(|place| place.file.as_str()).unwrap_or_default();
    let message = verdict.message.strip_prefix(file).and_then(|rest| rest.strip_prefix(": "));
    let place = place.map(|place| (place.file.clone(), place.span.start, place.span.end));
    (place, verdict.level, message.unwrap_or(&verdict.message).to_owned())
}

/// Leaves out what follows from objects that are lost: what is not said of the bundle with them found.
pub(super) fn leave_out_consequences(
    found: &mut Vec<By>,
    tree: &Tree,
    fixes: &[BundleFix],
    questions: &Questions,
) {
    let fixes: HashMap<&str, &BundleFix> = fixes.iter().map(|fix| (fix.file.as_str(), fix)).collect();
    if fixes.is_empty() {
        return;
    }
    let mended = |file: &TreeFile| {
        let mended = fixes.get(file.path.as_str()).and_then(|fix| fix.apply(file.bytes()));
        mended.map_or_else(|| file.clone(), |bytes| TreeFile { path: file.path.clone(), content: Ok(bytes) })
    };
    let tree = Tree::new(tree.files.iter().map(mended).collect(), tree.folders.clone());
    // Places are other ones there; words are not.
    let words = |(by, verdict): &By| (*by, verdict.validator, verdict.level, verdict.message.clone());
    let left: HashSet<_> = verdicts::all(&tree, questions).iter().map(words).collect();
    found.retain(|verdict| left.contains(&words(verdict)));
}

/// Makes one verdict of those that only differ in the API that has no example: all are at one place.
pub(super) fn fold(found: &mut Vec<By>) {
    let api = |(_, verdict): &By| match &verdict.cause {
        Some(Cause::NoExample(api)) => Some(api.clone()),
        _ => None,
    };
    let apis: Vec<String> = found.iter().filter_map(api).collect();
    if apis.len() < 2 {
        return;
    }
    let mut is_first = true;
    found.retain(|verdict| api(verdict).is_none() || std::mem::take(&mut is_first));
    if let Some((_, verdict)) = found.iter_mut().find(|verdict| api(verdict).is_some()) {
        verdict.message = format!("{} owned APIs have no example: {}", apis.len(), list(apis));
    }
}

#[cfg(test)]
mod tests {
    use super::{Cause, Suite, Verdict, fold, leave_out_repeated};
    use crate::validate::bundles::Judge;

    fn verdict(suite: Suite, message: &str, cause: Option<Cause>) -> (Judge, Verdict) {
        (Judge::Suite, Verdict { cause, ..Verdict::error(suite.name(), message, None) })
    }

    fn owned(name: &str) -> Cause {
        Cause::OwnedCrd { name: name.to_owned(), version: "v1".to_owned(), kind: "Kiln".to_owned() }
    }

    fn messages(found: &[(Judge, Verdict)]) -> Vec<&str> {
        found.iter().map(|(_, verdict)| verdict.message.as_str()).collect()
    }

    #[test]
    fn a_crd_that_is_not_there_is_told_once_and_not_where_its_name_is_none() {
        let mut found = vec![
            verdict(Suite::Content, "a", Some(owned("kilns.clay"))),
            verdict(Suite::Content, "b", Some(owned("ovens.clay"))),
            verdict(Suite::Content, "c", Some(owned("kilns"))),
            verdict(Suite::Bundle, "d", Some(owned("kilns.clay"))),
            verdict(Suite::Bundle, "e", Some(owned("kilns"))),
            verdict(Suite::Csv, "f", Some(Cause::OwnedName("kilns".to_owned()))),
        ];
        leave_out_repeated(&mut found);
        assert_eq!(messages(&found), ["b", "d", "f"]);
    }

    #[test]
    fn apis_without_an_example_are_one_verdict() {
        let missing = |api: &str| verdict(Suite::Csv, api, Some(Cause::NoExample(api.to_owned())));
        let mut found = vec![missing("x/v1 A"), verdict(Suite::Csv, "other", None), missing("x/v1 B")];
        fold(&mut found);
        assert_eq!(messages(&found), ["2 owned APIs have no example: x/v1 A and x/v1 B", "other"]);
        let mut one = vec![missing("x/v1 A")];
        fold(&mut one);
        assert_eq!(messages(&one), ["x/v1 A"]);
    }
}
