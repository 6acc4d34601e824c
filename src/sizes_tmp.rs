#[test]
fn sizes() {
    use crate::catalog::*;
    macro_rules! p { ($($t:ty),*) => { $( eprintln!("{:>5} {}", std::mem::size_of::<$t>(), stringify!($t)); )* } }
    p!(
        split::Chunk,
        split::ChunkKind,
        file::Segment,
        text::Text,
        blob::Blob,
        blob::OtherBlob,
        blob::ChannelBlob,
        blob::PackageBlob,
        blob::BundleBlob,
        blob::Entry,
        package::Package,
        package::Shared,
        problem::Problem,
        problem::ProblemKind,
        problem::ProblemPlace,
        ReadError,
        MetaErrorKind,
        crate::validate::Diagnostic,
        crate::validate::Location,
        crate::validate::Related,
        crate::edit::Edit,
        Node,
        node::Member,
        node::Value,
        file::SourceFile,
        crate::upgrade::PackageGraph,
        crate::review::Judged,
        crate::upgrade::package::ChannelUpgrades,
        file::Place,
        crate::version::VersionRelease
    );
}
