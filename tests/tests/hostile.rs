//! Hostile calls to the module: bytes, requests, pointers and limits at which it must not do wrong.
//!
//! 1. A call has an answer of the contract, or ends with a code of the host.
//! 2. The next call is answered correctly.
//! 3. Only a limit of the host ends a call: no request leads to a trap.
//!
//! `FLEETFOLD_HOSTILE_CALLS` and `FLEETFOLD_SEED` choose how many and which.

use std::time::Duration;

use fleetfold::cache::Cache;
use fleetfold::guest::{EMBEDDED, Guest, Limits, Module};
use fleetfold_core::Value;
use fleetfold_tests::oracles::seed;
use fleetfold_tests::tree::root;
use fleetfold_tests::trust::{Random, count};
use wasmtime::{Engine, Instance, Memory, Store, TypedFunc};

const GOOD: &str =
    r#"{"op":"select","selector":"env in (prod)","clusters":[{"name":"a","labels":{"env":"prod"}},{"name":"b"}]}"#;
const ANSWER: &str = r#"{"ok":{"clusters":["a"]}}"#;

/// What the process may grow by while it makes all calls but the first ones: pages of 4 KiB.
const MAX_GROWTH: usize = 4_096;

fn is_answer(answer: &str) -> bool {
    answer.starts_with(r#"{"error":{"#) || answer.contains(r#""ok":"#)
}

fn vectors() -> Vec<String> {
    let cases = fleetfold::vectors::requests(&root().join("tests/vectors")).expect("the vectors can be read");
    cases.into_iter().flatten().filter(|it| !it.is_empty() && it.len() < 50_000).collect()
}

fn request(op: &str, field: &str, text: &str) -> Vec<u8> {
    Value::map([("op", op), (field, text)]).to_canonical().into_bytes()
}

/// Bytes that are no request, or a request with a mistake.
fn bytes(random: &mut Random, vectors: &[String]) -> Vec<u8> {
    let mut bytes = random.pick(vectors).clone().into_bytes();
    match random.below(6) {
        0 => (0..random.below(2_000)).map(|_| random.number().to_le_bytes()[0]).collect(),
        1 => {
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] = random.number().to_le_bytes()[0];
            }
            bytes
        }
        2 => {
            bytes.truncate(random.below(bytes.len()));
            bytes
        }
        3 => {
            let (start, len) = (random.below(bytes.len()), 1 + random.below(40));
            let part: Vec<u8> = bytes.iter().skip(start).take(len).copied().collect();
            let at = random.below(bytes.len());
            bytes.splice(at..at, part.repeat(1 + random.below(2_000)));
            bytes
        }
        4 => {
            let (start, len) = (random.below(bytes.len()), 1 + random.below(40));
            bytes.drain(start..(start + len).min(bytes.len()));
            bytes
        }
        _ => {
            let other = random.pick(vectors).as_bytes();
            let cut = random.below(bytes.len());
            [&bytes[..cut], &other[random.below(other.len())..]].concat()
        }
    }
}

/// A request that is deep, long or repetitive.
fn too_much(random: &mut Random) -> Vec<u8> {
    let many = 1 + random.below(60_000);
    match random.below(10) {
        0 => "[".repeat(many).into_bytes(),
        1 => format!("{{\"op\":{}", "{\"a\":".repeat(many)).into_bytes(),
        2 => request("parse", "text", &"[".repeat(many)),
        3 => request("parse", "text", &"- ".repeat(many)),
        4 => request("parse", "text", &"? ".repeat(many)),
        5 => request("parse", "text", &aliases(2 + random.below(9))),
        6 => request("x".repeat(many).as_str(), "text", ""),
        7 => format!(r#"{{"op":"select","selector":"{}","clusters":[]}}"#, "a,".repeat(many)).into_bytes(),
        8 => {
            let set = format!(r#"{{"path":"{}a","value":1}}"#, "a.".repeat(many));
            format!(r#"{{"op":"fold","layers":[{{"name":"a","set":[{set}]}}]}}"#).into_bytes()
        }
        _ => {
            let copies = vec![r#"{"op":"copy","from":"/a","path":"/b"}"#; 1 + random.below(900)].join(",");
            let text = "x".repeat(many);
            format!(r#"{{"op":"patch","object":{{"a":"{text}"}},"patch":[{copies}]}}"#).into_bytes()
        }
    }
}

/// So many levels of nine aliases each.
fn aliases(levels: usize) -> String {
    let level = |at: usize| format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(","));
    format!("a0: &a0 x\n{}", (1..levels).map(level).collect::<String>())
}

/// A request that takes time and memory, and is right.
fn expensive(random: &mut Random) -> Vec<u8> {
    let clusters: Vec<String> =
        (0..500 + random.below(4_000)).map(|it| format!(r#"{{"name":"c{it}","labels":{{"n":"{it}"}}}}"#)).collect();
    format!(r#"{{"op":"select","selector":"n notin (a,b,c)","why":true,"clusters":[{}]}}"#, clusters.join(","))
        .into_bytes()
}

/// The module without the host around it: pointers and lengths are the caller's.
struct Raw {
    store: Store<()>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    call: TypedFunc<(u32, u32), u64>,
    free: TypedFunc<(u32, u32), ()>,
}

impl Raw {
    fn start() -> Raw {
        let engine = Engine::default();
        let module = wasmtime::Module::new(&engine, EMBEDDED).expect("the module compiles");
        let mut store = Store::new(&engine, ());
        let instance = Instance::new(&mut store, &module, &[]).expect("the module starts");
        let memory = instance.get_memory(&mut store, "memory").expect("a memory");
        let alloc = instance.get_typed_func(&mut store, "fleetfold_alloc").expect("an export");
        let call = instance.get_typed_func(&mut store, "fleetfold_call").expect("an export");
        let free = instance.get_typed_func(&mut store, "fleetfold_free").expect("an export");
        Raw { store, memory, alloc, call, free }
    }

    fn ask(&mut self, at: u32, len: u32) -> String {
        let packed = self.call.call(&mut self.store, (at, len)).expect("the module does not trap");
        let (answer_at, answer_len) = ((packed >> 32) as u32, packed as u32);
        let mut answer = vec![0; answer_len as usize];
        self.memory.read(&self.store, answer_at as usize, &mut answer).expect("an answer in the memory");
        self.give_back(answer_at, answer_len);
        String::from_utf8(answer).expect("UTF-8")
    }

    fn give_back(&mut self, at: u32, len: u32) {
        self.free.call(&mut self.store, (at, len)).expect("the module does not trap");
    }

    /// A buffer that holds these bytes.
    fn buffer(&mut self, bytes: &[u8]) -> (u32, u32) {
        let len = u32::try_from(bytes.len()).expect("a request");
        let at = self.alloc.call(&mut self.store, len).expect("the module does not trap");
        assert_ne!(at, 0, "there is room for {len} bytes");
        self.memory.write(&mut self.store, at as usize, bytes).expect("the buffer is in the memory");
        (at, len)
    }

    /// Asks about a place that holds no request, or gives back what was never given out.
    fn hostile(&mut self, random: &mut Random) {
        let anywhere = random.number() as u32;
        let small = random.number() as u32 % 200_000;
        let (at, len) = self.buffer(GOOD.as_bytes());
        match random.below(6) {
            0 => assert!(is_answer(&self.ask(anywhere, small))),
            1 => assert!(is_answer(&self.ask(small, anywhere))),
            2 => assert!(is_answer(&self.ask(at, len.wrapping_add(1 + small)))),
            3 => assert!(is_answer(&self.ask(at.wrapping_add(1 + small % len), len))),
            4 => self.give_back(anywhere, small),
            _ => {
                self.give_back(at, len);
                self.give_back(at, len);
                assert!(is_answer(&self.ask(at, len)), "a buffer that was given back");
            }
        }
        self.give_back(at, len);
        let huge = self.alloc.call(&mut self.store, u32::MAX - small).expect("the module does not trap");
        assert_eq!(huge, 0, "there is no room for four gigabytes");
    }

    fn next(&mut self) -> String {
        let (at, len) = self.buffer(GOOD.as_bytes());
        let answer = self.ask(at, len);
        self.give_back(at, len);
        answer
    }
}

/// The pages of this process in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or_default()
}

#[test]
fn hostile_calls_are_answered_and_so_is_the_next_one() {
    let calls = count("FLEETFOLD_HOSTILE_CALLS", 200);
    let (mut random, vectors) = (Random::seeded(), vectors());
    let module = Module::embedded(&Cache::of_user()).expect("the module compiles");
    let guest = |limits: Limits| Guest::new(&module, limits).expect("the module starts");
    // A busy machine must not end a call that only takes long there.
    let patient = Limits { deadline: Duration::from_secs(60), ..Limits::default() };
    let (mut usual, mut raw) = (guest(patient), Raw::start());
    let mut narrow = guest(Limits { memory: 4 << 20, ..patient });
    let mut hurried = guest(patient);
    let (mut stopped, mut before) = (0, 0);
    for call in 0..calls {
        if call == calls / 10 {
            before = resident();
        }
        let next = match call % 8 {
            0..=3 => {
                let request = bytes(&mut random, &vectors);
                let answer = usual.call(&request).unwrap_or_else(|error| panic!("call {call}: {error}"));
                assert!(is_answer(&answer), "call {call}: {answer}");
                usual.call(GOOD.as_bytes())
            }
            4 => {
                let request = too_much(&mut random);
                let answer = usual.call(&request).unwrap_or_else(|error| panic!("call {call}: {error}"));
                assert!(is_answer(&answer), "call {call}: {answer}");
                usual.call(GOOD.as_bytes())
            }
            5 => {
                raw.hostile(&mut random);
                Ok(raw.next())
            }
            6 => {
                match narrow.call(&expensive(&mut random)) {
                    Ok(answer) => assert!(is_answer(&answer), "call {call}: {answer}"),
                    Err(error) => assert_eq!(error.code(), "memory-limit", "call {call}"),
                }
                stopped += usize::from(narrow.is_fresh());
                narrow.call(GOOD.as_bytes())
            }
            _ => {
                hurried.set_deadline(Some(Duration::from_millis(1)));
                match hurried.call(&expensive(&mut random)) {
                    Ok(answer) => assert!(is_answer(&answer), "call {call}: {answer}"),
                    Err(error) => assert_eq!(error.code(), "deadline-exceeded", "call {call}"),
                }
                stopped += usize::from(hurried.is_fresh());
                hurried.set_deadline(None);
                hurried.call(GOOD.as_bytes())
            }
        };
        assert_eq!(next.as_deref(), Ok(ANSWER), "the call after call {call} of seed {}", seed());
    }
    let growth = resident().saturating_sub(before);
    println!(
        "hostile: seed {}, {calls} calls, {stopped} stopped by a limit, {} KiB more in memory after the first tenth",
        seed(),
        growth * 4
    );
    assert!(stopped > calls / 20, "the limits must stop some calls: {stopped}");
    assert!(growth < MAX_GROWTH, "the process grew by {} KiB", growth * 4);
}
