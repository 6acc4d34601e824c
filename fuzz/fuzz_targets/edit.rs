//! Edits of any small catalog in several styles: what is asked for is what is there, and nothing else moved.
#![no_main]

mod channels;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use olmap::{
    catalog::{Catalog, blob::EntrySpec, load},
    edit::{self, Edit},
};

#[derive(Arbitrary, Debug)]
enum Deed {
    Set { channel: u8, entry: u8, replaces: Option<u8>, skips: Vec<u8>, range: Option<String> },
    Add { channel: u8, entry: u8, replaces: Option<u8> },
    Remove { channel: u8, entry: u8 },
    Default { channel: u8 },
}

fn edit(deed: &Deed) -> Edit {
    let package = || "p".into();
    let channel = |c: &u8| format!("c{}", c % 3).into();
    let bundle = |b: &u8| channels::name(*b).into();
    match deed {
        Deed::Set { channel: c, entry, replaces, skips, range } => Edit::SetEntry {
            package: package(),
            channel: channel(c),
            entry: bundle(entry),
            spec: EntrySpec {
                replaces: replaces.as_ref().map(bundle),
                skips: skips.iter().take(6).map(bundle).collect(),
                skip_range: range.clone().filter(|r| !r.is_empty()),
            },
        },
        Deed::Add { channel: c, entry, replaces } => Edit::AddEntry {
            package: package(),
            channel: channel(c),
            entry: bundle(entry),
            spec: EntrySpec { replaces: replaces.as_ref().map(bundle), ..EntrySpec::default() },
        },
        Deed::Remove { channel: c, entry } => {
            Edit::RemoveEntry { package: package(), channel: channel(c), entry: bundle(entry) }
        }
        Deed::Default { channel: c } => Edit::SetDefaultChannel { package: package(), channel: channel(c) },
    }
}

/// Everything but the documents of channels and of the package.
fn others(catalog: &Catalog) -> Vec<Vec<u8>> {
    let segments = catalog.files()[0].segments();
    let text = |s: &olmap::catalog::file::Segment| s.text.bytes().to_vec();
    let touched = |t: &[u8]| t.windows(11).any(|w| w == b"olm.channel" || w == b"olm.package");
    segments.iter().map(text).filter(|t| !touched(t) || t.windows(10).any(|w| w == b"olm.bundle")).collect()
}

fuzz_target!(|input: (channels::Package, Vec<Deed>)| {
    let (package, deeds) = input;
    let mut catalog = load::from_bytes(channels::catalog(&package).into_bytes());
    let kept = others(&catalog);
    for deed in deeds.iter().take(6) {
        let edit = edit(deed);
        let Ok(next) = edit::apply(&catalog, &edit) else { continue };
        let again = load::from_bytes(next.files()[0].bytes());
        if let Edit::SetEntry { channel, entry, spec, .. } | Edit::AddEntry { channel, entry, spec, .. } = &edit {
            let channel = again.package("p").and_then(|p| p.channel(channel.as_str())).expect("the channel");
            let found = channel.entries.iter().find(|e| &e.name.value == entry).expect("the entry");
            assert_eq!(&found.spec(), spec, "{edit:?}");
        }
        assert_eq!(others(&next), kept, "what was not edited stays");
        catalog = next;
    }
});
