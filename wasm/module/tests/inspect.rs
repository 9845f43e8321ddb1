//! What is in a binary is told as it stands there.

use fleetfold_module::{Form, Item, Memory, Purpose, annotate, inspect};

const MODULE: &str = r#"(module
    (import "env" "log" (func (param i32)))
    (import "env" "counter" (global (mut i64)))
    (memory (export "memory") 17 256)
    (table (export "table") 3 funcref)
    (tag (export "oops") (param i32))
    (global (export "zero") i32 (i32.const 0))
    (func (export "both") (param i32 i64) (result f64 i32) f64.const 0 i32.const 0)
    (export "log again" (func 0))
    (data (i32.const 0) "text"))"#;
const COMPONENT: &str = r#"(component
    (import "a:b/c@1.0.0" (instance (export "f" (func))))
    (import "now" (func (result u64)))
    (import "kind" (type (sub resource)))
    (import "same" (type (eq 2)))
    (import "core" (core module))
    (component $inner (export "f" (func $g)) (import "x" (func $g)))
    (core module $m (func (export "f") (result i32) i32.const 1))
    (core instance $i (instantiate $m))
    (func $f (result u32) (canon lift (core func $i "f")))
    (export "call" (func $f))
    (export "typed" (func $f) (func (result u32))))"#;

fn bytes(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

fn printed(items: &[Item]) -> Vec<String> {
    let tell = |it: &Item| format!("{} {} {} {}", it.from, it.name, it.kind, it.type_of).trim().to_owned();
    items.iter().map(tell).collect()
}

#[test]
fn a_module_tells_its_types() {
    let found = inspect(&bytes(MODULE)).unwrap();
    assert_eq!((found.form, found.purpose), (Form::Module, Purpose::Other));
    assert_eq!(printed(&found.imports), ["env log func (i32)", "env counter global mut i64"]);
    let want = [
        "memory memory 17..256 pages",
        "table table 3.. of funcref",
        "oops tag (i32)",
        "zero global i32",
        "both func (i32, i64) -> (f64, i32)",
        "log again func (i32)",
    ];
    assert_eq!(printed(&found.exports), want);
    let memory = Memory {
        initial: 17,
        maximum: Some(256),
        page: 65_536,
        is_imported: false,
        is_shared: false,
        is_64_bit: false,
    };
    assert_eq!(found.memories, [memory]);
}

#[test]
fn a_component_tells_names_and_kinds() {
    let found = inspect(&bytes(COMPONENT)).unwrap();
    assert_eq!((found.form, found.purpose), (Form::Component, Purpose::Component));
    let want = ["a:b/c@1.0.0 instance", "now func", "kind type", "same type", "core core module"];
    assert_eq!(printed(&found.imports), want);
    assert_eq!(printed(&found.exports), ["call func", "typed func"]);
    assert_eq!(found.memories, []);
}

#[test]
fn sections_cover_the_whole_file() {
    for text in [MODULE, COMPONENT] {
        let bytes = annotate(&bytes(text), "note", b"hi").unwrap();
        let found = inspect(&bytes).unwrap();
        let mut end = 8;
        for section in &found.sections {
            assert_eq!(section.whole.start, end);
            assert!(section.whole.start < section.contents.start && section.contents.end == section.whole.end);
            end = section.whole.end;
        }
        assert_eq!(end, bytes.len());
        let note = found.custom("note").unwrap();
        assert_eq!(bytes[note.contents.clone()], *b"hi");
        assert!(found.custom("type").is_none());
    }
}

#[test]
fn memories_may_be_unusual() {
    let found = inspect(&bytes(r#"(module (import "e" "m" (memory 1 2 shared)) (memory i64 3))"#)).unwrap();
    let [first, second] = found.memories.as_slice() else { panic!("{:?}", found.memories) };
    assert_eq!((first.is_imported, first.is_shared, first.maximum), (true, true, Some(2)));
    assert_eq!((second.is_imported, second.is_64_bit, second.maximum), (false, true, None));
    assert_eq!(printed(&found.imports), ["e m memory 1..2 pages, shared"]);
}

#[track_caller]
fn purpose_of(text: &str, want: Purpose) {
    assert_eq!(inspect(&bytes(text)).unwrap().purpose, want);
    assert!(!want.word().is_empty() && !want.words().is_empty());
}

const RAW: &str = r#"(memory (export "memory") 1) (func (export "fleetfold_abi")) (func (export "fleetfold_alloc"))
    (func (export "fleetfold_free")) (func (export "fleetfold_call"))"#;

#[test]
fn imports_and_exports_tell_the_host() {
    purpose_of(&format!("(module {RAW})"), Purpose::Raw);
    purpose_of(&format!(r#"(module (import "env" "now" (func)) {RAW})"#), Purpose::Other);
    purpose_of(&format!("(module {})", RAW.replace("fleetfold_call", "fleetfold_cal")), Purpose::Other);
    let wapc = r#"(module (import "wapc" "__guest_request" (func)) (func (export "__guest_call")) X)"#;
    purpose_of(&wapc.replace('X', ""), Purpose::Wapc);
    purpose_of(&wapc.replace('X', r#"(@custom "io.kubewarden.metadata" "{}")"#), Purpose::Kubewarden);
    purpose_of(r#"(module (import "extism:host/env" "alloc" (func)))"#, Purpose::Extism);
    purpose_of(r#"(module (import "./engine_bg.js" "x" (func)) (memory (export "memory") 1))"#, Purpose::JavaScript);
    purpose_of(r#"(module (import "wasi_snapshot_preview1" "fd_write" (func)))"#, Purpose::Wasi);
    let opa = r#"(module (func (export "opa_eval_ctx_new")) (func (export "opa_malloc")) (func (export "eval")))"#;
    purpose_of(opa, Purpose::Opa);
    purpose_of("(module)", Purpose::Other);
}

#[test]
fn what_is_exported_must_be_there() {
    let flaw = inspect(b"\0asm\x01\0\0\0\x07\x05\x01\x01f\x00\x04").unwrap_err();
    assert_eq!((flaw.what.as_str(), flaw.at), ("`f` exports func 4, and there is none", 11));
    let flaw = inspect(b"\0asm\x01\0\0\0\x02\x05\x01\x00\x00\x00\x09").unwrap_err();
    assert_eq!((flaw.what.as_str(), flaw.at), ("a function has type 9, and there is none", 11));
    assert!(inspect(b"\0asm\x0d\0\x01\0\x0b\x04\x01\x07\x01f").unwrap_err().what.contains("0x07 is unknown"));
}

/// Whatever the bytes are, they are told or refused; nothing is believed about counts and lengths.
#[test]
fn broken_binaries_are_refused_with_a_place() {
    for text in [MODULE, COMPONENT] {
        let whole = bytes(text);
        let mut refused = 0;
        for len in 0..whole.len() {
            refused += usize::from(inspect(&whole[..len]).is_err_and(|flaw| flaw.at <= len && !flaw.hint.is_empty()));
        }
        assert!(refused > whole.len() / 2, "{refused}");
        for at in 0..whole.len() {
            for byte in [0, 1, 2, 0x11, 0x40, 0x7f, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] = byte;
                match inspect(&broken) {
                    Ok(found) => assert_eq!(found.sections.last().map(|it| it.whole.end), Some(broken.len())),
                    Err(flaw) => assert!(flaw.at <= broken.len() && !flaw.hint.is_empty(), "{flaw:?}"),
                }
            }
        }
    }
}
