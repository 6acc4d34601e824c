//! Tests of owners, modes, links and attributes, which only some systems have.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink},
    path::{Path, PathBuf},
};

use xattr::FileExt as _;

use super::{
    DirectoryLock, FileChange, LossKind, Overwrite, SaveError, StateDirectory, find_losses,
    tests::{save_as, save_stateless},
};

#[test]
fn keeps_permissions_and_owner() {
    for mode in [0o600, 0o644, 0o664, 0o755] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "x").unwrap();
        // Only the superuser can change owners; other users keep their own.
        let _ = chown(&path, Some(12), Some(34));
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let before = fs::metadata(&path).unwrap();
        save_stateless(&[FileChange { path: &path, before: Some(b"x"), after: Some(b"y") }])
            .unwrap()
            .ignore_warning();
        let after = fs::metadata(&path).unwrap();
        assert_eq!(after.mode(), before.mode());
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino());
    }
}

#[test]
fn new_file_has_default_permissions() {
    let dir = tempfile::tempdir().unwrap();
    let (plain, saved) = (dir.path().join("plain"), dir.path().join("saved"));
    fs::write(&plain, "x").unwrap();
    save_as(&saved, b"x", Overwrite::Never).unwrap().ignore_warning();
    assert_eq!(fs::metadata(saved).unwrap().mode(), fs::metadata(plain).unwrap().mode());
}

#[test]
fn links_stay_and_their_target_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    let (target, link) = (dir.path().join("real/a"), dir.path().join("link"));
    let chain = dir.path().join("chain");
    fs::write(&target, "x").unwrap();
    symlink("real/a", &link).unwrap();
    symlink("link", &chain).unwrap();
    save_stateless(&[FileChange { path: &chain, before: Some(b"x"), after: Some(b"y") }])
        .unwrap()
        .ignore_warning();
    assert_eq!(fs::read_link(&chain).unwrap(), Path::new("link"));
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("real/a"));
    assert_eq!(fs::read_to_string(&target).unwrap(), "y");

    let change = |path| FileChange { path, before: Some(&b"y"[..]), after: Some(&b"z"[..]) };
    let error = save_stateless(&[change(target.as_path()), change(link.as_path())]).unwrap_err();
    assert!(matches!(error, SaveError::SameFile { .. }), "{error:?}");
}

#[test]
fn dangling_link_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("link");
    symlink("nowhere", &link).unwrap();
    for before in [None, Some(&b"x"[..])] {
        let error = save_stateless(&[FileChange { path: &link, before, after: Some(b"y") }]).unwrap_err();
        assert!(matches!(error, SaveError::DanglingLink { .. }), "{error:?}");
    }
    assert!(matches!(save_as(&link, b"y", Overwrite::Allowed), Err(SaveError::DanglingLink { .. })));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn error_names_read_only_directory() {
    let dir = tempfile::tempdir().unwrap();
    let closed = dir.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::write(closed.join("a"), "x").unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(closed.join("probe"), "").is_ok() {
        println!("skipped: the superuser may write anywhere");
        return;
    }
    let path = closed.join("a");
    let error =
        save_stateless(&[FileChange { path: &path, before: Some(b"x"), after: Some(b"y") }]).unwrap_err();
    assert!(matches!(error, SaveError::ReadOnlyDirectory { .. }), "{error:?}");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

/// `user::rw-,user:12:r--,group::r--,mask::r--,other::---` in the format of Linux.
#[cfg(target_os = "linux")]
const ACCESS_LIST: [u8; 44] = [
    2, 0, 0, 0, // version
    1, 0, 6, 0, 255, 255, 255, 255, // the owner
    2, 0, 4, 0, 12, 0, 0, 0, // user 12
    4, 0, 4, 0, 255, 255, 255, 255, // the group
    16, 0, 4, 0, 255, 255, 255, 255, // the mask
    32, 0, 0, 0, 255, 255, 255, 255, // others
];

#[cfg(target_os = "linux")]
#[test]
fn keeps_access_lists_and_extended_attributes() {
    let state = tempfile::tempdir().unwrap();
    for state in [StateDirectory::none(), StateDirectory::from_path(state.path())] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "x").unwrap();
        let file = fs::File::open(&path).unwrap();
        if file.set_xattr("user.origin", b"somewhere").is_err() {
            println!("skipped: no extended attributes here");
            return;
        }
        file.set_xattr("system.posix_acl_access", &ACCESS_LIST).unwrap();
        let before = fs::metadata(&path).unwrap();
        let change = FileChange { path: &path, before: Some(b"x"), after: Some(b"y") };
        assert!(find_losses([path.as_path()], &state).is_empty());
        super::save_files(&[change], &mut DirectoryLock::new(state)).unwrap().ignore_warning();
        let file = fs::File::open(&path).unwrap();
        assert_eq!(file.get_xattr("user.origin").unwrap().unwrap(), b"somewhere");
        assert_eq!(file.get_xattr("system.posix_acl_access").unwrap().unwrap(), ACCESS_LIST);
        assert_eq!(file.metadata().unwrap().mode(), before.mode());
        assert_ne!(file.metadata().unwrap().ino(), before.ino());
    }
}

#[test]
fn losses_are_reported_in_advance() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("a"), dir.path().join("b"));
    fs::write(&path, "x").unwrap();
    let told = || find_losses([path.as_path()], &StateDirectory::none());
    assert!(told().is_empty());
    fs::hard_link(&path, &other).unwrap();
    assert_eq!(told().into_iter().map(|loss| loss.kind).collect::<Vec<_>>(), [LossKind::OtherNames(1)]);
    assert!(told()[0].to_string().ends_with("a: another hard link to it keeps the old content"));
    // The superuser can set it, but it belongs to the old content.
    if fs::File::open(&path).unwrap().set_xattr("security.ima", b"\x01checksum").is_ok() {
        assert_eq!(told()[1].kind, LossKind::Attribute("security.ima".to_owned()));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left of the trial");
}

#[test]
fn saved_files_are_not_saved_again() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let paths: [PathBuf; 3] = [at("changed"), at("new"), at("gone")];
    fs::write(&paths[0], "new").unwrap();
    fs::write(&paths[1], "new").unwrap();
    let before = |path: &Path| fs::metadata(path).unwrap().ino();
    let inodes = [before(&paths[0]), before(&paths[1])];
    // The state after an incomplete earlier save.
    let changes = [
        FileChange { path: &paths[0], before: Some(b"old"), after: Some(b"new") },
        FileChange { path: &paths[1], before: None, after: Some(b"new") },
        FileChange { path: &paths[2], before: Some(b"old"), after: None },
    ];
    save_stateless(&changes).unwrap().ignore_warning();
    assert_eq!([before(&paths[0]), before(&paths[1])], inodes);
    let again = save_as(&paths[0], b"new", Overwrite::Never);
    assert!(matches!(again, Err(SaveError::Exists { .. })), "a copy goes where nothing is");
}

#[test]
fn directory_on_other_file_system_stages_files_next_to_target() {
    // The state directory is on another file system than the catalog, so staged files are next to it, hidden.
    let Ok(shared) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: there is no second file system");
        return;
    };
    let state = tempfile::tempdir().unwrap();
    if fs::metadata(shared.path()).unwrap().dev() == fs::metadata(state.path()).unwrap().dev() {
        println!("skipped: there is no second file system");
        return;
    }
    let path = shared.path().join("a");
    fs::write(&path, "x").unwrap();
    let change = FileChange { path: &path, before: Some(b"x"), after: Some(b"y") };
    super::save_files(&[change], &mut DirectoryLock::new(StateDirectory::from_path(state.path())))
        .unwrap()
        .ignore_warning();
    assert_eq!(fs::read_to_string(&path).unwrap(), "y");
    assert_eq!(fs::read_dir(shared.path()).unwrap().count(), 1);
}
