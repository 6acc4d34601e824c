//! Tests of unpacking: the rules of containerd, and malicious images.

use std::io::{Cursor, Read, Write as _};

use super::*;
use crate::images::tree::Listed;

/// A generated layer entry.
#[derive(Clone, Copy)]
enum TestEntry<'a> {
    Folder(&'a str),
    File(&'a str, &'a str),
    Link(&'a str, &'a str),
    Hard(&'a str, &'a str),
    Other(&'a str, u8),
}
use TestEntry::{File, Folder, Hard, Link, Other};

/// Makes a tar of entries, with names that the crate would refuse to write.
fn test_layer(entries: &[TestEntry<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        let (name, target, content, kind) = match *entry {
            Folder(name) => (name, "", "", b'5'),
            File(name, content) => (name, "", content, b'0'),
            Link(name, target) => (name, target, "", b'2'),
            Hard(name, target) => (name, target, "", b'1'),
            Other(name, kind) => (name, "", "", kind),
        };
        let mut header = tar::Header::new_ustar();
        let raw = header.as_mut_bytes();
        raw[..name.len()].copy_from_slice(name.as_bytes());
        raw[157..157 + target.len()].copy_from_slice(target.as_bytes());
        raw[156] = kind;
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(content.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize(bytes.len() + 1024, 0);
    bytes
}

/// Layers in memory with correct digests.
struct TestLayers(Vec<Vec<u8>>);

impl Layers for TestLayers {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn open(&self, number: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError> {
        let bytes = &self.0[number];
        Ok((Box::new(Cursor::new(bytes)), ExpectedDigest::Stored(Digest::sha256(bytes))))
    }
}

fn unpack_layers(layers: Vec<Vec<u8>>) -> Result<Tree, ImageError> {
    build_tree(
        &TestLayers(layers),
        &FolderFilter::for_folders(&["/configs"]),
        Limits::default(),
        &Progress::default(),
    )
}

fn unpack_with(layers: Vec<Vec<u8>>, limits: Limits) -> String {
    let made = build_tree(
        &TestLayers(layers),
        &FolderFilter::for_folders(&["/configs"]),
        limits,
        &Progress::default(),
    );
    made.err().map(|error| error.to_string()).unwrap_or_default()
}

/// Lists the files below `/configs` with their content or kind.
fn list_files(layers: &[&[TestEntry<'_>]]) -> String {
    let made = match unpack_layers(layers.iter().map(|entries| test_layer(entries)).collect()) {
        Ok(made) => made,
        Err(error) => return error.to_string(),
    };
    let Ok(root) = made.resolve("/configs") else { return "no root".to_owned() };
    let listed = made.list_below(root, &Progress::default()).unwrap();
    let line = |(path, one): (String, Listed)| match one {
        Listed::File(Content::Loaded(bytes)) => format!("{path}={}", String::from_utf8_lossy(&bytes)),
        Listed::File(Content::Skipped(at)) => format!("{path} at {}/{}", at.layer, at.entry),
        Listed::Folder => format!("{path}/"),
        Listed::LinkToFolder => format!("{path} to a folder"),
        Listed::BrokenLink => format!("{path} broken"),
        Listed::Special(what) => format!("{path} {what}"),
    };
    listed.into_iter().map(line).collect::<Vec<_>>().join(" ")
}

#[test]
fn later_layer_wins_and_folders_are_merged() {
    let low: &[_] = &[Folder("configs/"), File("configs/a", "1"), File("configs/b/c", "1")];
    assert_eq!(list_files(&[low, &[File("configs/a", "2"), File("configs/b/d", "2")]]), "a=2 b/ b/c=1 b/d=2");
    assert_eq!(list_files(&[low, &[File("configs/b", "2")]]), "a=1 b=2");
    assert_eq!(list_files(&[low, &[Folder("configs/a")]]), "a/ b/ b/c=1");
}

#[test]
fn whiteouts_remove_earlier_entries() {
    let low: &[_] = &[File("configs/a", "1"), File("configs/b/c", "1")];
    assert_eq!(list_files(&[low, &[File("configs/.wh.a", "")]]), "b/ b/c=1");
    assert_eq!(list_files(&[low, &[File("configs/.wh.b", ""), File("configs/b/d", "2")]]), "a=1 b/ b/d=2");
    assert_eq!(list_files(&[low, &[File("configs/x", "2"), File("configs/.wh.x", "")]]), "a=1 b/ b/c=1");
    assert_eq!(list_files(&[low, &[File("configs/.wh.nothing", ""), File("z/.wh.y", "")]]), "a=1 b/ b/c=1");
    for wrong in ["configs/.wh.", "configs/.wh..", "configs/.wh..."] {
        assert!(list_files(&[low, &[File(wrong, "")]]).contains("not the name of a whiteout"), "{wrong}");
    }
}

#[test]
fn opaque_whiteout_removes_lower_layers_at_any_position() {
    let low: &[_] = &[File("configs/a", "1"), File("configs/b/c", "1")];
    let opaque = File("configs/.wh..wh..opq", "");
    assert_eq!(list_files(&[low, &[File("configs/x", "2"), opaque]]), "x=2");
    assert_eq!(list_files(&[low, &[opaque, File("configs/x", "2")]]), "x=2");
    let kept: &[_] = &[Folder("configs/b"), File("configs/b/d", "2"), opaque];
    assert_eq!(list_files(&[low, kept]), "b/ b/d=2");
}

#[test]
fn paths_and_links_cannot_leave_the_image() {
    assert_eq!(list_files(&[&[File("../../configs/a", "1"), File("/configs/b", "2")]]), "a=1 b=2");
    assert_eq!(list_files(&[&[File("configs/x/../../../configs/a", "1")]]), "a=1");
    let absolute: &[_] = &[File("etc/passwd", "image"), Link("configs/a", "/etc/passwd")];
    assert_eq!(list_files(&[absolute]), "a at 0/0");
    assert_eq!(list_files(&[&[Link("configs/a", "/etc/passwd")]]), "a broken");
    assert_eq!(
        list_files(&[&[Link("configs", "../../../real"), File("configs/a", "1"), File("real/b", "2")]]),
        "a at 0/1 b at 0/2"
    );
    assert_eq!(list_files(&[&[Link("configs/a", "a")]]), "a broken");
    assert_eq!(list_files(&[&[Link("configs/b", ".."), Folder("configs/c")]]), "b to a folder c/");
    assert!(list_files(&[&[Link("configs", "configs"), File("configs/a", "1")]]).contains("circle"));
    assert!(list_files(&[&[File("configs", ""), File("configs/a", "1")]]).contains("not a folder"));
}

#[test]
fn hard_links_are_relative_to_the_root() {
    let to =
        |target| list_files(&[&[File("configs/a", "1"), Link("configs/l", "a"), Hard("configs/b", target)]]);
    assert_eq!(to("configs/a"), "a=1 b=1 l=1");
    assert_eq!(to("/configs/a"), "a=1 b=1 l=1");
    assert_eq!(to("../configs/l"), "a=1 b=1 l=1");
    assert!(to("configs/none").contains("not there"));
    assert!(to("configs").contains("the folder"));
    assert!(to("configs/b").contains("not there"), "not even to itself");
    assert!(to("/").contains("not there"));
    let elsewhere: &[_] = &[File("data/a", "1"), Hard("configs/a", "data/a")];
    assert_eq!(list_files(&[elsewhere]), "a at 0/0", "read in a second pass");
}

#[test]
fn devices_and_pipes_are_not_read_and_other_types_are_refused() {
    assert_eq!(
        list_files(&[&[Other("configs/a", b'3'), Other("configs/b", b'6')]]),
        "a a device b a named pipe"
    );
    for kind in [b'Z', b'7', b'S', b'M'] {
        assert!(list_files(&[&[Other("configs/a", kind)]]).contains("cannot be unpacked"), "{kind}");
    }
    assert_eq!(list_files(&[&[Folder("configs"), Other("configs/g", b'g')]]), "");
    assert_eq!(list_files(&[&[Other("configs/old/", 0)]]), "old/", "of the first tars");
}

#[test]
fn skipped_files_can_be_fetched_later() {
    let given = TestLayers(vec![
        test_layer(&[File("x", "0"), File("data/a", "1")]),
        test_layer(&[File("data/b", "2")]),
    ]);
    let at = EntryId { layer: 0, entry: 1 };
    let found = fetch_skipped(&given, &[at], Limits::default(), &Progress::default()).unwrap();
    assert_eq!(found.iter().map(|(at, bytes)| (*at, &**bytes)).collect::<Vec<_>>(), [(at, b"1".as_slice())]);
}

fn compress_gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn compress_zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn first_bytes_decide_compression() {
    let plain = test_layer(&[File("configs/a", "1")]);
    let (front, back) = plain.split_at(700);
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9], compress_zstd(front).as_slice()].concat();
    for packed in [
        plain.clone(),
        compress_gzip(&plain),
        [compress_gzip(front), compress_gzip(back)].concat(),
        compress_zstd(&plain),
        [compress_zstd(front), compress_zstd(back)].concat(),
        [skipped, compress_zstd(back)].concat(),
    ] {
        assert!(unpack_layers(vec![packed]).unwrap().resolve("configs/a").is_ok());
    }
    for (magic, name) in [(b"BZh91AY".as_slice(), "bzip2"), (b"\xfd7zXZ\0\0", "xz")] {
        assert!(unpack_layers(vec![magic.to_vec()]).unwrap_err().to_string().contains(name));
    }
    for cut in [
        &compress_gzip(&plain)[..60],
        &compress_zstd(&plain)[..60],
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        &[7; 600],
    ] {
        assert!(unpack_layers(vec![cut.to_vec()]).is_err());
    }
    assert!(unpack_layers(vec![Vec::new()]).is_ok(), "nothing is a layer too");
}

#[test]
fn wrong_digest_is_reported_before_other_errors() {
    struct Wrong(Vec<u8>, ExpectedDigest);
    impl Layers for Wrong {
        fn count(&self) -> usize {
            1
        }
        fn open(&self, _: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError> {
            Ok((Box::new(Cursor::new(&self.0)), self.1.clone()))
        }
    }
    let open = |bytes: &[u8], proof: ExpectedDigest| {
        build_tree(
            &Wrong(bytes.to_vec(), proof),
            &FolderFilter::for_folders(&[""]),
            Limits::default(),
            &Progress::default(),
        )
    };
    let plain = test_layer(&[File("a", "1")]);
    let other = || Digest::sha256(b"other");
    for bytes in [plain.as_slice(), &compress_gzip(&plain), b"\x1f\x8bgarbage"] {
        for proof in [ExpectedDigest::Stored(other()), ExpectedDigest::Unpacked(other())] {
            let is_unpacked = matches!(proof, ExpectedDigest::Unpacked(_));
            let error = open(bytes, proof).unwrap_err();
            let is_broken = bytes.ends_with(b"garbage") && is_unpacked;
            assert!(matches!(error, ImageError::WrongDigest { .. }) || is_broken, "{error}");
        }
    }
    assert!(open(&compress_gzip(&plain), ExpectedDigest::Unpacked(Digest::sha256(&plain))).is_ok());
}

#[test]
fn stops_at_decompression_bombs() {
    let zeros = |count: usize| test_layer(&[File("configs/a", &"\0".repeat(count))]);
    let limits = Limits { unpacked: 4096, ..Limits::default() };
    assert!(unpack_with(vec![zeros(10_000)], limits).contains("8 GiB"));
    let limits = Limits { file: 100, ..Limits::default() };
    assert!(unpack_with(vec![zeros(101)], limits).contains("1 GiB"));
    assert_eq!(unpack_with(vec![zeros(100)], limits), "");
    let limits = Limits { kept: 100, ..Limits::default() };
    assert!(unpack_with(vec![zeros(60), zeros(60)], limits).contains("512 MiB"));
    assert_eq!(
        unpack_with(vec![test_layer(&[File("b", &"0".repeat(200))])], limits),
        "",
        "outside of what is wanted"
    );
    let limits = Limits { entries: 2, ..Limits::default() };
    assert!(
        unpack_with(vec![test_layer(&[File("a", ""), File("b", ""), File("c", "")])], limits)
            .contains("million")
    );
    let bomb = compress_gzip(&zeros(usize::try_from(Limits::FREE).unwrap() + 1));
    assert!(unpack_with(vec![bomb], Limits::default()).contains("200 times"));
}

#[test]
fn long_names_are_refused() {
    for kind in [b'L', b'K', b'x'] {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[156] = kind;
        header.set_size(8 << 20);
        header.set_cksum();
        let mut bytes = header.as_bytes().to_vec();
        bytes.resize(bytes.len() + (8 << 20), b'a');
        assert!(unpack_with(vec![bytes], Limits::default()).contains("1 MiB"), "{kind}");
    }
}

#[test]
fn builds_and_removes_deep_tree() {
    let deep = format!("configs/{}", "d/".repeat(40));
    let entries: Vec<String> = (0..3).map(|n| format!("{deep}{n}")).collect();
    let made: Vec<TestEntry<'_>> = entries.iter().map(|name| File(name, "1")).collect();
    assert!(list_files(&[&made, &[File("configs/.wh.d", "")]]).is_empty());
}

#[test]
fn stops_on_cancellation() {
    let progress = Progress::default();
    progress.stop.store(true, Ordering::Relaxed);
    let given = TestLayers(vec![test_layer(&[File("a", "1")])]);
    let error =
        build_tree(&given, &FolderFilter::for_folders(&[""]), Limits::default(), &progress).unwrap_err();
    assert!(matches!(error, ImageError::Load(_)), "{error}");
}

proptest::proptest! {
    /// Any bytes unpack to a tree or an error.
    #[test]
    fn never_panics_on_any_bytes(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..3000)) {
        for packed in [bytes.clone(), compress_gzip(&bytes), compress_zstd(&bytes)] {
            let _ = unpack_layers(vec![packed]);
        }
    }

    /// Any names and links unpack to a tree or an error.
    #[test]
    fn never_panics_on_any_names(
        entries in proptest::collection::vec(
            ("[./ab]{0,12}|configs/([ab]|[.]wh[.][ab.]{0,2})|configs/[.]wh[.][.]wh[.][.]opq", "[./ab]{0,9}", 0..4_u8),
            0..12,
        ),
    ) {
        let made: Vec<TestEntry<'_>> = entries
            .iter()
            .map(|(name, target, kind)| match kind {
                0 => Folder(name),
                1 => File(name, target),
                2 => Link(name, target),
                _ => Hard(name, target),
            })
            .collect();
        if let Ok(made) = unpack_layers(vec![test_layer(&made[..made.len() / 2]), test_layer(&made)]) {
            for path in ["", "configs", "a/b", "../a", "configs/a"] {
                if let Ok(found) = made.resolve(path) {
                    proptest::prop_assert!(made.list_below(found, &Progress::default()).is_ok());
                }
            }
        }
    }
}

#[test]
fn implicit_folders_count_against_the_limit() {
    let path = |first: &str| format!("{first}/{}f", "a/".repeat(30));
    let paths = ["x", "y", "z", "u"].map(path);
    let entries: Vec<TestEntry<'_>> = paths.iter().map(|path| File(path, "")).collect();
    let limits = Limits { entries: 100, ..Limits::default() };
    assert!(unpack_with(vec![test_layer(&entries)], limits).contains("a million files and folders"));
    assert_eq!(unpack_with(vec![test_layer(&entries)], Limits { entries: 200, ..limits }), "");
}

/// A layer of a docker archive, which declares the digest of the tar.
struct Docker(Vec<u8>, Digest);
impl Layers for Docker {
    fn count(&self) -> usize {
        1
    }
    fn open(&self, _: usize) -> Result<(Box<dyn Read + '_>, ExpectedDigest), ImageError> {
        Ok((Box::new(Cursor::new(&self.0)), ExpectedDigest::Unpacked(self.1.clone())))
    }
}

#[test]
fn bytes_after_the_end_of_a_tar_are_limited() {
    let mut bytes = test_layer(&[File("configs/a", "x")]);
    bytes.resize(1 << 20, 0);
    let limits = Limits { unpacked: 1 << 19, ..Limits::default() };
    assert!(unpack_with(vec![bytes.clone()], limits).contains("more than 8 GiB"));
    // Archives of docker declare the digest of the tar, so everything is unpacked. Padding may be a bomb too.
    let docker = Docker(compress_gzip(&bytes), Digest::sha256(&bytes));
    let of =
        |limits| build_tree(&docker, &FolderFilter::for_folders(&["/configs"]), limits, &Progress::default());
    assert!(of(Limits::default()).is_ok());
    assert!(of(limits).unwrap_err().to_string().contains("more than 8 GiB"));
}

#[test]
fn deeply_nested_links_are_stopped() {
    let chain: Vec<[String; 2]> =
        (0..30).map(|n| [format!("configs/l{n}"), format!("/configs/l{}", n + 1)]).collect();
    let many: Vec<String> = (0..100).map(|n| format!("configs/m{n}")).collect();
    let links = chain.iter().map(|[from, to]| Link(from, to));
    let entries: Vec<TestEntry<'_>> =
        links.chain(many.iter().map(|from| Link(from, "l0"))).chain([File("configs/l30", "x")]).collect();
    let of = |steps| {
        let limits = Limits { steps, ..Limits::default() };
        let given = TestLayers(vec![test_layer(&entries)]);
        let made =
            build_tree(&given, &FolderFilter::for_folders(&["/configs"]), limits, &Progress::default())
                .unwrap();
        let root = made.resolve("/configs").unwrap();
        made.list_below(root, &Progress::default())
            .map(|listed| listed.len())
            .map_err(|error| error.to_string())
    };
    assert_eq!(of(100_000), Ok(131));
    assert!(of(5000).unwrap_err().contains("followed without end"));
}
