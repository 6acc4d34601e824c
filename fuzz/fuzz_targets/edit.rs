//! Edits of any small catalog in several styles: what is asked for is what is there, and nothing else moved.
#![no_main]

mod channels;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use olmap::{
    catalog::{BundleName, Catalog, ChannelName, PackageName, blob::EntrySpec, load, package::Package},
    edit::{self, Edit, EditError, rewrite::RewriteError},
};

/// What is edited.
#[derive(Arbitrary, Debug)]
enum Source {
    Made(channels::Package),
    Written(u8),
}

/// Catalogs in other people's styles.
const WRITTEN: &[&[u8]] = &[
    include_bytes!("../seeds/catalogs/comments.yaml"),
    include_bytes!("../seeds/catalogs/odd.yaml"),
    include_bytes!("../seeds/catalogs/mixed.json"),
    include_bytes!("../seeds/catalogs/crlf.yaml"),
    include_bytes!("../seeds/loader/small.yaml"),
    include_bytes!("../seeds/loader/small.json"),
];

/// Names and ranges that are easily taken for something else.
const TRICKY: &[&str] = &[
    "", " ", "~", "null", "yes", "1.0", "0x1f", "1_0", "2001-01-01", "- a", "a: b", "a #b", "#", "'", "\"", "a'b\"c", "[a",
    "}", "&a", "*a", "!a", "%a", "@a", "`a", "|", ">", "a\nb", "\n", "a\n", "\ta", "a ", "=", "<<", "é", "\u{feff}", "\u{85}",
    "\u{2028}", "\u{7f}", "\u{0}", "\u{fffe}", "\u{1f600}", "---", "...", "? a", "-", ":", "a:", "\\", "{{a}}",
];

#[derive(Arbitrary, Debug)]
enum Word {
    Bundle(u8),
    Tricky(u8),
    Any(String),
}

impl Word {
    fn text(&self) -> String {
        match self {
            Self::Bundle(bundle) => channels::name(*bundle),
            Self::Tricky(index) => TRICKY[usize::from(*index) % TRICKY.len()].to_owned(),
            Self::Any(text) => text.clone(),
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Spec {
    replaces: Option<Word>,
    skips: Vec<Word>,
    range: Option<Word>,
}

impl Spec {
    /// What an empty `replaces` or `skipRange` says is nothing.
    fn spec(&self) -> EntrySpec {
        let some = |word: &Option<Word>| word.as_ref().map(Word::text).filter(|text| !text.is_empty());
        EntrySpec {
            replaces: some(&self.replaces).map(BundleName::from),
            skips: self.skips.iter().take(6).map(|skip| skip.text().into()).collect(),
            skip_range: some(&self.range),
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Deed {
    Set { channel: u8, entry: u8, spec: Spec },
    Add { channel: u8, entry: Word, spec: Spec },
    Remove { channel: u8, entry: u8 },
    Default { channel: u8 },
}

/// A deed as an edit of what is there.
fn edit(package: &Package, deed: &Deed) -> Option<Edit> {
    let pick = |index: &u8| package.channels.get(usize::from(*index) % package.channels.len().max(1));
    let there = |channel: &u8, entry: &u8| {
        let channel = pick(channel)?;
        let entry = channel.entries.get(usize::from(*entry) % channel.entries.len().max(1))?;
        Some((channel.name.value.clone(), entry.name.value.clone()))
    };
    let package = package.name.clone();
    Some(match deed {
        Deed::Set { channel, entry, spec } => {
            let (channel, entry) = there(channel, entry)?;
            Edit::SetEntry { package, channel, entry, spec: spec.spec() }
        }
        Deed::Add { channel, entry, spec } => {
            let channel = pick(channel)?.name.value.clone();
            Edit::AddEntry { package, channel, entry: entry.text().into(), spec: spec.spec() }
        }
        Deed::Remove { channel, entry } => {
            let (channel, entry) = there(channel, entry)?;
            Edit::RemoveEntry { package, channel, entry }
        }
        Deed::Default { channel } => {
            Edit::SetDefaultChannel { package, channel: pick(channel)?.name.value.clone() }
        }
    })
}

/// The chunks, each with its serial number.
fn chunks(catalog: &Catalog) -> Vec<(u32, &[u8])> {
    catalog.files()[0].segments().iter().map(|s| (s.serial, s.text.bytes())).collect()
}

type Entries = Vec<(BundleName, EntrySpec)>;

fn entries(catalog: &Catalog, package: &PackageName, channel: &ChannelName) -> Entries {
    let channel = catalog.package(package.as_str()).and_then(|p| p.channel(channel.as_str())).expect("the channel");
    channel.entries.iter().map(|e| (e.name.value.clone(), e.spec())).collect()
}

/// What the entries of the channel should be, and the number of the document that says it.
fn expected(catalog: &Catalog, edit: &Edit) -> (u32, Option<(PackageName, ChannelName, Entries)>) {
    let (Edit::SetEntry { package, channel, .. }
    | Edit::AddEntry { package, channel, .. }
    | Edit::RemoveEntry { package, channel, .. }
    | Edit::SetDefaultChannel { package, channel }) = edit
    else {
        unreachable!()
    };
    let there = catalog.package(package.as_str()).expect("the package");
    let mut list = entries(catalog, package, channel);
    let at = |list: &Entries, name: &BundleName| list.iter().position(|(n, _)| n == name).expect("the entry");
    match edit {
        Edit::SetEntry { entry, spec, .. } => {
            let at = at(&list, entry);
            list[at].1 = spec.clone();
        }
        Edit::AddEntry { entry, spec, .. } => list.push((entry.clone(), spec.clone())),
        Edit::RemoveEntry { entry, .. } => {
            list.remove(at(&list, entry));
        }
        _ => return (there.definition().expect("a definition").doc.serial, None),
    }
    let doc = there.channel(channel.as_str()).expect("the channel").doc;
    (doc.serial, Some((package.clone(), channel.clone(), list)))
}

fuzz_target!(|input: (Source, Vec<Deed>)| {
    let (source, deeds) = input;
    let bytes = match source {
        Source::Made(package) => channels::catalog(&package).into_bytes(),
        Source::Written(index) => WRITTEN[usize::from(index) % WRITTEN.len()].to_vec(),
    };
    let mut catalog = load::from_bytes(bytes);
    for deed in deeds.iter().take(6) {
        let Some(edit) = catalog.packages().next().and_then(|package| edit(package, deed)) else { return };
        let next = match edit::apply(&catalog, &edit) {
            Ok(next) => next,
            Err(EditError::Rewrite { error: RewriteError::Unreadable(_) | RewriteError::WrongMeaning, .. }) => {
                panic!("a mistake of the writer: {edit:?}")
            }
            Err(_) => continue,
        };
        let (edited, list) = expected(&catalog, &edit);
        // The bytes that would be saved, read again, are cut as before.
        let again = load::from_bytes(next.files()[0].bytes());
        let texts = |catalog| -> Vec<&[u8]> { chunks(catalog).into_iter().map(|c| c.1).collect() };
        assert_eq!(texts(&again), texts(&next), "{edit:?}");
        match (&edit, list) {
            (_, Some((package, channel, list))) => {
                assert_eq!(entries(&again, &package, &channel), list, "{edit:?}");
            }
            (Edit::SetDefaultChannel { package, channel }, None) => {
                let package = again.package(package.as_str()).expect("the package");
                assert_eq!(package.default_channel(), Some(channel).filter(|c| !c.as_str().is_empty()));
            }
            _ => {}
        }
        let (old, new) = (chunks(&catalog), chunks(&next));
        assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(&new).filter(|(old, _)| old.0 != edited) {
            assert_eq!(old, new, "what was not edited stays");
        }
        catalog = next;
    }
});
