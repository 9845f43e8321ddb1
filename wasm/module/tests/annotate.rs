//! Annotating changes one section and nothing else, and what is no WebAssembly is told with its place.

use fleetfold_module::annotate;

const MODULE: &str = r#"(module
    (import "env" "log" (func (param i32)))
    (memory (export "memory") 1 16)
    (func (export "f") (param i32 i64) (result f64) f64.const 0)
    (data (i32.const 0) "text")
    (@custom "first" "one")
    (@custom "second" "two"))"#;
const COMPONENT: &str = r#"(component
    (core module $m (func (export "f") (result i32) i32.const 1) (@custom "note" "inner"))
    (core instance $i (instantiate $m))
    (func $f (result u32) (canon lift (core func $i "f")))
    (export "f" (func $f)))"#;
const EMPTY: &[u8] = b"\0asm\x01\0\0\0";

fn bytes(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// Sections as their bytes, told apart by hand: a second reader, for the one under test.
fn outline(bytes: &[u8]) -> Vec<&[u8]> {
    let (mut found, mut at) = (Vec::new(), 8);
    while at < bytes.len() {
        let (mut len, mut shift, mut end) = (0usize, 0, at + 1);
        loop {
            let byte = bytes[end];
            len |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            end += 1;
            if byte < 0x80 {
                break;
            }
        }
        found.push(&bytes[at..end + len]);
        at = end + len;
    }
    found
}

#[test]
fn everything_else_stays_byte_for_byte() {
    for text in [MODULE, COMPONENT, "(module)", "(component)"] {
        let plain = bytes(text);
        for size in [0, 1, 63, 126, 127, 128, 16_383, 16_384, 70_000] {
            let data = vec![b'x'; size];
            let noted = annotate(&plain, "note", &data).unwrap();
            let (before, after) = (outline(&plain), outline(&noted));
            assert_eq!(before, after[..before.len()], "{size}");
            assert_eq!(after.len(), before.len() + 1);
            assert!(after[before.len()].ends_with(&data) && after[before.len()][0] == 0);
            assert_eq!(plain[..8], noted[..8]);
            assert_eq!(annotate(&noted, "note", &data).unwrap(), noted);
        }
    }
}

#[test]
fn an_earlier_one_is_replaced_where_it_stands() {
    let plain = bytes(MODULE);
    let noted = annotate(&plain, "first", b"another").unwrap();
    let (before, after) = (outline(&plain), outline(&noted));
    assert_eq!(before.len(), after.len());
    let other: Vec<usize> = (0..before.len()).filter(|it| before[*it] != after[*it]).collect();
    assert_eq!(other.len(), 1);
    assert_eq!(after[other[0]], b"\0\x0d\x05firstanother");
}

#[test]
fn of_several_one_is_left() {
    let twice = [EMPTY, b"\0\x03\x01aX", b"\0\x03\x01bY", b"\0\x03\x01aZ"].concat();
    let want = [EMPTY, b"\0\x04\x01a!!", b"\0\x03\x01bY"].concat();
    assert_eq!(annotate(&twice, "a", b"!!").unwrap(), want);
}

#[test]
fn what_is_nested_in_a_component_is_left_alone() {
    let noted = annotate(&bytes(COMPONENT), "note", b"outer").unwrap();
    let find = |text: &[u8]| noted.windows(text.len()).filter(|it| *it == text).count();
    assert_eq!((find(b"inner"), find(b"outer")), (1, 1));
}

#[test]
fn any_name_and_any_bytes_will_do() {
    for name in ["", "io.kubewarden.metadata", "ñ 集 🦀", "a\nb\0c"] {
        let noted = annotate(EMPTY, name, &[0, 255, 128]).unwrap();
        assert_eq!(noted.len(), 8 + 3 + name.len() + 3);
        assert_eq!(annotate(&noted, name, b"").unwrap().len(), 8 + 3 + name.len());
    }
}

#[track_caller]
fn refused(bytes: &[u8], what: &str, at: usize) {
    let flaw = annotate(bytes, "note", b"").unwrap_err();
    assert_eq!((flaw.what.as_str(), flaw.at), (what, at));
    assert!(!flaw.hint.is_empty());
    assert_eq!(flaw.to_string(), format!("{what} at byte {at}"));
}

#[test]
fn what_is_no_webassembly_is_told() {
    refused(b"", "these bytes are not WebAssembly", 0);
    refused(b"\0as", "these bytes are not WebAssembly", 3);
    refused(b"#!/bin/sh", "these bytes are not WebAssembly", 0);
    refused(b"\0asm\x01", "the file ends before its version", 5);
    refused(b"\0asm\x02\0\0\0", "there is no WebAssembly of version 2.0.0.0", 4);
    refused(&[EMPTY, b"\x63\0"].concat(), "there is no section of number 99", 8);
    refused(&[EMPTY, b"\x01\x05\0"].concat(), "the type section needs 5 bytes, and 1 are left", 8);
    refused(&[EMPTY, b"\0\x02\x05a"].concat(), "unexpected end-of-file", 11);
    refused(&[EMPTY, b"\0\x03\x02\xff\xfe"].concat(), "malformed UTF-8 encoding", 12);
    refused(&[EMPTY, b"\0\xff\xff\xff\xff\xff"].concat(), "invalid var_u32: integer representation too long", 13);
    let text = annotate(b"  (module)", "note", b"").unwrap_err();
    assert!(text.hint.contains("assemble"), "{}", text.hint);
}

#[test]
fn cut_off_anywhere_it_is_whole_or_told() {
    for text in [MODULE, COMPONENT] {
        let whole = bytes(text);
        let mut ends = vec![8];
        ends.extend(outline(&whole).iter().scan(8, |at, it| {
            *at += it.len();
            Some(*at)
        }));
        for len in 0..whole.len() {
            let done = annotate(&whole[..len], "note", b"x");
            assert_eq!(done.is_ok(), ends.contains(&len), "{len}: {done:?}");
            assert!(
                done.is_ok_and(|it| it.len() > len) || annotate(&whole[..len], "note", b"x").unwrap_err().at <= len
            );
        }
    }
}

#[test]
fn any_byte_may_be_another() {
    for text in [MODULE, COMPONENT] {
        let whole = bytes(text);
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] = byte;
                if let Err(flaw) = annotate(&broken, "note", b"x") {
                    assert!(flaw.at <= broken.len() && !flaw.what.is_empty());
                }
            }
        }
    }
}
