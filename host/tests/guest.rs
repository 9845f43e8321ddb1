//! Modules that misbehave, and the call after that: it must be right.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fleetfold::cache::Cache;
use fleetfold::engine::Engine;
use fleetfold::guest::{Guest, GuestError, Limits, Module};
use fleetfold_core::Workspace;

/// Short, so that tests are; far above what a call of these modules takes.
const LIMITS: Limits = Limits { deadline: Duration::from_millis(400), memory: 4 << 20, request: 100, answer: 1 << 20 };

/// A module that keeps to the interface: it answers each request with how many there were.
const GOOD: &str = r#"(module
  (memory (export "memory") 2)
  (data (i32.const 16) "call 0")
  (func (export "fleetfold_abi") (result i32) (i32.const 1))
  (func (export "fleetfold_alloc") (param $len i32) (result i32) (;alloc;) (i32.const 1024))
  (func (export "fleetfold_free") (param $ptr i32) (param $len i32) (;free;))
  (func $call (export "fleetfold_call") (param $ptr i32) (param $len i32) (result i64)
    (i32.store8 (i32.const 21) (i32.add (i32.const 1) (i32.load8_u (i32.const 21))))
    (if (i32.eq (i32.load8_u (local.get $ptr)) (i32.const 98)) (then (;boom;)))
    (i64.const 0x1000000006)))"#;

#[test]
fn an_endless_loop_meets_the_deadline() {
    let started = Instant::now();
    on_call("(loop (br 0))", "deadline-exceeded");
    let took = started.elapsed();
    assert!(took >= LIMITS.deadline, "{took:?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
}

/// A deadline counts time, not ticks of a thread that a busy machine lets wait.
#[test]
fn a_busy_machine_does_not_lengthen_the_deadline() {
    let is_done = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..32)
        .map(|_| {
            let is_done = Arc::clone(&is_done);
            thread::spawn(move || while !is_done.load(Ordering::Relaxed) {})
        })
        .collect();
    let deadline = Duration::from_secs(2);
    let mut guest = Guest::new(&load(&with("(;boom;)", "(loop (br 0))")), Limits { deadline, ..LIMITS }).unwrap();
    let started = Instant::now();
    let error = guest.call(b"boom").unwrap_err();
    let took = started.elapsed();
    is_done.store(true, Ordering::Relaxed);
    busy.into_iter().for_each(|it| it.join().unwrap());
    assert_eq!(error, GuestError::DeadlineExceeded { limit: deadline });
    assert!(took >= deadline && took < deadline + Duration::from_secs(1), "{took:?}");
}

#[test]
fn an_endless_loop_over_bulk_memory_meets_the_deadline() {
    on_call("(loop (memory.fill (i32.const 64) (i32.const 0) (i32.const 65536)) (br 0))", "deadline-exceeded");
}

#[test]
fn an_endless_loop_while_freeing_meets_the_deadline() {
    on_good("(;free;)", "(if (i32.eq (local.get $len) (i32.const 4)) (then (loop (br 0))))", "deadline-exceeded");
}

#[test]
fn a_deadline_that_is_too_far_to_count_is_none_at_all() {
    let mut guest = Guest::new(&load(GOOD), Limits { deadline: Duration::MAX, ..LIMITS }).unwrap();
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
}

#[test]
fn memory_that_grows_for_ever_meets_the_limit() {
    on_call("(loop (drop (memory.grow (i32.const 1))) (br 0))", "memory-limit");
}

#[test]
fn memory_that_grows_at_once_meets_the_limit() {
    on_call("(drop (memory.grow (i32.const 65000)))", "memory-limit");
}

#[test]
fn memory_up_to_the_limit_is_given() {
    let grow = "(drop (memory.grow (i32.const 62))) (i32.store8 (i32.const 0x3fffff) (i32.const 1))";
    let mut guest = guest(&with("(;boom;)", grow)).unwrap();
    assert_eq!(guest.call(b"boom").unwrap(), "call 1");
}

#[test]
fn a_module_that_begins_above_the_memory_limit_is_refused() {
    refused(&with(r#"(memory (export "memory") 2)"#, r#"(memory (export "memory") 65)"#), "memory-limit");
}

#[test]
fn no_room_for_the_request_is_a_memory_limit() {
    on_alloc("(i32.const 0)", "memory-limit");
}

#[test]
fn an_unreachable_instruction_is_a_trap() {
    on_call("(unreachable)", "trap: wasm `unreachable` instruction executed");
}

#[test]
fn deep_recursion_is_a_trap() {
    on_call("(drop (call $call (local.get $ptr) (local.get $len)))", "trap: call stack exhausted");
}

#[test]
fn a_load_outside_the_memory_is_a_trap() {
    on_call("(drop (i32.load (i32.const -4)))", "trap: out of bounds memory access");
}

#[test]
fn a_division_by_zero_is_a_trap() {
    on_call("(drop (i32.div_u (i32.const 1) (i32.const 0)))", "trap: integer divide by zero");
}

#[test]
fn an_answer_outside_the_memory_is_refused() {
    on_call("(return (i64.const 0xffffff0000000004))", "bad-answer: it lies outside the memory");
}

#[test]
fn an_answer_that_ends_outside_the_memory_is_refused() {
    on_call("(return (i64.const 0x0001ffff00000002))", "bad-answer: it lies outside the memory");
}

#[test]
fn an_answer_whose_end_overflows_is_refused() {
    on_call("(return (i64.const 0xfffffff000000020))", "bad-answer: it lies outside the memory");
}

#[test]
fn an_answer_that_is_too_long_is_refused() {
    on_call(
        "(drop (memory.grow (i32.const 40))) (return (i64.const 0x0000001000100001))",
        "bad-answer: it is too long",
    );
    on_call("(return (i64.const -1))", "bad-answer: it is too long");
}

#[test]
fn an_answer_that_is_not_utf_8_is_refused() {
    on_call("(i32.store8 (i32.const 17) (i32.const 0xff))", "bad-answer: it is not UTF-8");
}

#[test]
fn an_empty_answer_is_refused() {
    on_call("(return (i64.const 0x1000000000))", "bad-answer: it is empty");
}

#[test]
fn an_answer_of_two_lines_is_refused() {
    on_call("(i32.store8 (i32.const 17) (i32.const 10))", "bad-answer: it has a control character");
}

#[test]
fn a_buffer_outside_the_memory_is_refused() {
    let outside = "bad-answer: its buffer for the request lies outside its memory";
    on_alloc("(i32.const 131070)", outside);
    on_alloc("(i32.const -1)", outside);
}

#[test]
fn an_error_that_loses_documents_says_so() {
    let mut guest = guest(&with("(;boom;)", "(unreachable)")).unwrap();
    let error = guest.call(b"boom").unwrap_err();
    assert!(error.hint().contains("load its documents again"), "{error:?}");
    let answer = error.to_answer();
    assert!(answer.starts_with(r#"{"error":{"code":"trap","hint":"#), "{answer}");
}

#[test]
fn a_request_that_is_too_long_leaves_the_workspace_as_it_was() {
    let mut guest = guest(GOOD).unwrap();
    assert_eq!(guest.call(&[b'x'; 100]).unwrap(), "call 1");
    assert_eq!(guest.call(&[b'x'; 101]).unwrap_err(), GuestError::RequestTooLarge { limit: 100 });
    assert_eq!(guest.call(b"hello").unwrap(), "call 2");
}

#[test]
fn a_fresh_workspace_knows_nothing_of_the_last() {
    let mut guest = guest(GOOD).unwrap();
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
    assert_eq!(guest.call(b"hello").unwrap(), "call 2");
    guest.fresh();
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
}

#[test]
fn two_guests_of_one_module_share_nothing() {
    let module = load(GOOD);
    let mut one = Guest::new(&module, LIMITS).unwrap();
    let mut two = Guest::new(&module, LIMITS).unwrap();
    assert_eq!(one.call(b"hello").unwrap(), "call 1");
    assert_eq!(two.call(b"hello").unwrap(), "call 1");
}

#[test]
fn guests_on_several_threads_keep_their_own_deadlines() {
    let module = load(&with("(;boom;)", "(loop (br 0))"));
    let hanging = std::thread::spawn({
        let module = module.clone();
        move || Guest::new(&module, LIMITS).unwrap().call(b"boom").unwrap_err().code()
    });
    let mut guest = Guest::new(&module, LIMITS).unwrap();
    while !hanging.is_finished() {
        guest.call(b"hello").unwrap();
        guest.fresh();
    }
    assert_eq!(hanging.join().unwrap(), "deadline-exceeded");
}

#[test]
fn a_module_with_an_import_is_refused() {
    let import = r#"(module (import "env" "now" (func (result i64)))"#;
    let error = Module::load(&wasm(&with("(module", import)), &no_cache()).unwrap_err();
    assert_eq!(error, GuestError::ModuleImports { import: "env.now".to_owned() });
    assert_eq!(error.code(), "module-imports");
}

#[test]
fn a_module_without_one_of_its_exports_is_refused() {
    for export in ["memory", "fleetfold_abi", "fleetfold_alloc", "fleetfold_free", "fleetfold_call"] {
        refused(&with(&format!(r#"(export "{export}")"#), r#"(export "other")"#), "missing-export");
    }
}

#[test]
fn an_export_of_another_type_is_missing() {
    let alloc = r#"(func (export "fleetfold_alloc") (param $len i64) (result i32) "#;
    refused(&with(r#"(func (export "fleetfold_alloc") (param $len i32) (result i32) "#, alloc), "missing-export");
    refused(
        &with(r#"(memory (export "memory") 2)"#, r#"(memory 2) (global (export "memory") i32 (i32.const 0))"#),
        "missing-export",
    );
}

#[test]
fn another_version_of_the_interface_is_refused() {
    let abi = r#"(func (export "fleetfold_abi") (result i32) (i32.const 2))"#;
    refused(&with(r#"(func (export "fleetfold_abi") (result i32) (i32.const 1))"#, abi), "wrong-abi");
}

#[test]
fn a_module_that_hangs_or_traps_while_it_starts_is_refused() {
    refused(&with("(;start;)", "(func $start (loop (br 0))) (start $start)"), "deadline-exceeded");
    refused(&with("(;start;)", "(func $start (unreachable)) (start $start)"), "trap");
}

#[test]
fn what_is_not_a_core_module_is_refused() {
    let shared = with(r#"(memory (export "memory") 2)"#, r#"(memory (export "memory") 2 2 shared)"#);
    let wide = with(r#"(memory (export "memory") 2)"#, r#"(memory (export "memory") i64 2)"#);
    let relaxed =
        with("(;start;)", "(func (param v128) (result v128) (i8x16.relaxed_swizzle (local.get 0) (local.get 0)))");
    let component = b"\0asm\x0d\0\x01\0".to_vec();
    let text = GOOD.as_bytes().to_vec();
    for bytes in [Vec::new(), b"hello".to_vec(), text, component, wasm(&shared), wasm(&wide), wasm(&relaxed)] {
        assert_eq!(Module::load(&bytes, &no_cache()).unwrap_err().code(), "not-a-module");
    }
}

#[test]
fn the_engine_answers_like_the_native_one_whatever_it_is_asked() {
    let mut guest = Guest::new(&Module::embedded(&no_cache()).unwrap(), Limits::default()).unwrap();
    let mut native = Workspace::default();
    let describe = br#"{"op":"describe"}"#;
    let want = Engine::call(&mut native, describe);
    assert!(want.starts_with(r#"{"ok":"#));
    let valid = br#"{"op":"patch","object":{"a":[1,2.5,"x\u00e9"]},"patch":[{"op":"remove","path":"/a/0"}]}"#;
    // Any generator will do, so long as every run takes the same path.
    let mut state = 1u32;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for _ in 0..200 {
        let mut hostile = valid.to_vec();
        for _ in 0..=random(4) {
            let at = random(hostile.len());
            match random(3) {
                0 => hostile[at] = random(256) as u8,
                1 => hostile.truncate(at.max(1)),
                _ => hostile.insert(at, b"[{\"\\,:"[random(6)]),
            }
        }
        let shown = String::from_utf8_lossy(&hostile);
        assert_eq!(Engine::call(&mut guest, &hostile), Engine::call(&mut native, &hostile), "{shown}");
        assert_eq!(Guest::call(&mut guest, describe).unwrap(), want, "after {shown}");
    }
}

#[test]
fn a_nan_has_the_same_bits_on_every_machine() {
    let nan = "(i32.reinterpret_f32 (f32.div (f32.load (i32.const 64)) (f32.load (i32.const 64))))";
    let check = format!("(if (i32.ne (i32.const 0x7fc00000) {nan}) (then (unreachable)))");
    assert_eq!(guest(&with("(;boom;)", &check)).unwrap().call(b"boom").unwrap(), "call 1");
}

/// On `boom`, the call does this.
#[track_caller]
fn on_call(hostile: &str, want: &str) {
    on_good("(;boom;)", hostile, want);
}

/// For a request of four bytes, `alloc` returns this.
#[track_caller]
fn on_alloc(hostile: &str, want: &str) {
    let alloc = format!("(if (i32.eq (local.get $len) (i32.const 4)) (then (return {hostile})))");
    on_good("(;alloc;)", &alloc, want);
}

/// Calls before the fault are answered, the fault has this name, and calls after it find an empty workspace.
#[track_caller]
fn on_good(place: &str, hostile: &str, want: &str) {
    let mut guest = guest(&with(place, hostile)).unwrap();
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
    assert_eq!(guest.call(b"hello").unwrap(), "call 2");
    assert_eq!(name(&guest.call(b"boom").unwrap_err()), want);
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
    assert_eq!(name(&guest.call(b"boom").unwrap_err()), want);
    assert_eq!(guest.call(b"hello").unwrap(), "call 1");
}

/// The code of an error, and the reason where there is one.
fn name(error: &GuestError) -> String {
    match error {
        GuestError::BadAnswer { reason } => format!("bad-answer: {reason}"),
        GuestError::Trap { reason } => format!("trap: {reason}"),
        other => other.code().to_owned(),
    }
}

#[track_caller]
fn refused(text: &str, code: &str) {
    assert_eq!(guest(text).unwrap_err().code(), code);
}

fn guest(text: &str) -> Result<Guest, GuestError> {
    Guest::new(&load(text), LIMITS)
}

fn load(text: &str) -> Module {
    Module::load(&wasm(text), &no_cache()).unwrap()
}

/// The good module, changed in one place.
#[track_caller]
fn with(place: &str, text: &str) -> String {
    let good = GOOD.replacen("(i64.const 0x1000000006)))", "(i64.const 0x1000000006)) (;start;))", 1);
    assert!(good.contains(place), "{place}");
    good.replacen(place, text, 1)
}

#[track_caller]
fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

/// Nothing can be kept in a file.
fn no_cache() -> Cache {
    Cache::at(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").as_ref())
}
