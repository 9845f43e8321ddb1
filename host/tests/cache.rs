//! Compiled code that is kept: found again, never trusted when it could be another's.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use fleetfold::cache::{Cache, Compiled};
use fleetfold::guest::{Guest, Limits, Module};

#[test]
fn code_is_compiled_once() {
    let folder = folder("once");
    load(&folder, Compiled::Anew);
    load(&folder, Compiled::Found);
}

#[test]
fn another_module_is_not_found() {
    let folder = folder("another");
    load_version(&folder, 1, Compiled::Anew);
    load_version(&folder, 2, Compiled::Anew);
    load_version(&folder, 1, Compiled::Found);
}

#[test]
fn a_folder_is_made_for_its_owner_alone() {
    let folder = folder("made").join("deep/down");
    load(&folder, Compiled::Anew);
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert_eq!(fs::metadata(only_file(&folder)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_cut_file_is_compiled_anew_and_mended() {
    let folder = folder("cut");
    load(&folder, Compiled::Anew);
    let whole = fs::read(only_file(&folder)).unwrap();
    for len in [0, 31, 32, whole.len() / 2, whole.len() - 1] {
        fs::write(only_file(&folder), &whole[..len]).unwrap();
        load(&folder, Compiled::Anew);
        load(&folder, Compiled::Found);
    }
}

#[test]
fn an_altered_byte_is_noticed_wherever_it_is() {
    let folder = folder("altered");
    load(&folder, Compiled::Anew);
    let whole = fs::read(only_file(&folder)).unwrap();
    for at in [0, 31, 32, whole.len() / 2, whole.len() - 1] {
        let mut altered = whole.clone();
        altered[at] ^= 1;
        fs::write(only_file(&folder), altered).unwrap();
        load(&folder, Compiled::Anew);
    }
}

#[test]
fn a_folder_that_others_may_write_to_is_not_used() {
    let folder = folder("open");
    for mode in [0o777, 0o770, 0o702] {
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        not_used(&folder, "others may write to it");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
}

#[test]
fn a_folder_of_another_user_is_not_used() {
    let folder = if rustix::process::geteuid().is_root() {
        let folder = folder("foreign");
        chown(&folder, Some(12_345), None).unwrap();
        folder
    } else {
        PathBuf::from("/")
    };
    not_used(&folder, "it belongs to another user");
}

#[test]
fn a_folder_that_cannot_be_made_costs_no_answer() {
    let file = folder("file").join("in-the-way");
    fs::write(&file, "").unwrap();
    not_used(&file.join("cache"), "Not a directory");
}

#[test]
fn a_file_that_others_may_write_to_is_not_read() {
    let folder = folder("open-file");
    load(&folder, Compiled::Anew);
    fs::set_permissions(only_file(&folder), Permissions::from_mode(0o666)).unwrap();
    load(&folder, Compiled::Anew);
}

#[test]
fn a_link_is_not_followed() {
    let folder = folder("link");
    load(&folder, Compiled::Anew);
    let (file, elsewhere) = (only_file(&folder), folder.join("elsewhere"));
    fs::rename(&file, &elsewhere).unwrap();
    symlink(&elsewhere, &file).unwrap();
    load(&folder, Compiled::Anew);
}

#[test]
fn a_place_that_cannot_be_written_costs_no_answer() {
    let folder = folder("taken");
    load(&folder, Compiled::Anew);
    let file = only_file(&folder);
    fs::remove_file(&file).unwrap();
    fs::create_dir_all(file.join("in-the-way")).unwrap();
    load(&folder, Compiled::Anew);
    load(&folder, Compiled::Anew);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing half written is left");
}

#[test]
fn only_the_latest_few_are_kept() {
    let folder = folder("few");
    for version in 0..12 {
        load_version(&folder, version, Compiled::Anew);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 8);
    load_version(&folder, 11, Compiled::Found);
    load_version(&folder, 0, Compiled::Anew);
}

#[test]
fn compiled_code_cannot_be_handed_in_as_a_module() {
    let folder = folder("handed");
    load(&folder, Compiled::Anew);
    let kept = fs::read(only_file(&folder)).unwrap();
    for bytes in [&kept[..], &kept[32..]] {
        assert_eq!(Module::load(bytes, &Cache::at(&folder)).unwrap_err().code(), "not-a-module");
    }
}

#[track_caller]
fn load(folder: &Path, want: Compiled) {
    load_version(folder, 0, want);
}

/// Loads a module, calls it, and says where its code came from.
#[track_caller]
fn load_version(folder: &Path, version: u32, want: Compiled) {
    let cache = Cache::at(folder);
    assert_eq!(cache.disabled_reason(), None);
    let module = Module::load(&wasm(version), &cache).unwrap();
    assert_eq!(module.compiled(), want);
    answers(&module, version);
}

#[track_caller]
fn not_used(folder: &Path, reason: &str) {
    let cache = Cache::at(folder);
    let disabled = cache.disabled_reason().expect("a reason");
    assert!(disabled.contains(reason) && disabled.contains(&*folder.to_string_lossy()), "{disabled}");
    for _ in 0..2 {
        let module = Module::load(&wasm(0), &cache).unwrap();
        assert_eq!(module.compiled(), Compiled::Anew);
        answers(&module, 0);
    }
}

#[track_caller]
fn answers(module: &Module, version: u32) {
    let mut guest = Guest::new(module, Limits::default()).unwrap();
    assert_eq!(guest.call(b"").unwrap(), format!("version {version:02}"));
}

fn wasm(version: u32) -> Vec<u8> {
    let text = format!(
        r#"(module
          (memory (export "memory") 1)
          (data (i32.const 16) "version {version:02}")
          (func (export "fleetfold_abi") (result i32) (i32.const 1))
          (func (export "fleetfold_alloc") (param i32) (result i32) (i32.const 1024))
          (func (export "fleetfold_free") (param i32 i32))
          (func (export "fleetfold_call") (param i32 i32) (result i64) (i64.const 0x100000000a)))"#
    );
    wat::parse_str(text).unwrap()
}

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    folder
}

#[track_caller]
fn only_file(folder: &Path) -> PathBuf {
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}
