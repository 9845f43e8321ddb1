//! What requests cost, in instructions of the module: a request of twice the size takes about twice as many.
//!
//! Every shape is called at n, 2n, 4n and 8n with fuel, which counts instructions and so is the same on every machine.
//! A shape whose answer would grow faster must be refused by a limit, and the workspace must answer after that.

#[path = "growth/costs.rs"]
mod costs;
#[path = "growth/shapes.rs"]
mod shapes;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fleetfold::guest::EMBEDDED;
use fleetfold_core::api::OPS;
use shapes::Shape;
use wasmtime::{Config, Engine, Instance, Memory, Module, Store, TypedFunc};

/// The largest exponent: n log n is below it at the sizes here.
const MAX_EXPONENT: f64 = 1.25;
/// The fuel that one shape may take at its largest size: some two seconds in the module. Nothing here is larger than a
/// few hundred kilobytes.
const MAX_FUEL: u64 = 6_000_000_000;

/// What answers say that a limit refused: codes, and the messages of limits inside expressions.
const REFUSALS: &[&str] = &[
    "\"too-large\"",
    "\"too-deep\"",
    "\"expression-budget\"",
    "takes more than 1000000 steps",
    "longer than 100000 bytes",
    "states, and at most 100000",
];

/// One workspace in the module.
struct Guest {
    store: Store<()>,
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    call: TypedFunc<(u32, u32), u64>,
    free: TypedFunc<(u32, u32), ()>,
}

impl Guest {
    fn new(engine: &Engine, module: &Module) -> Guest {
        let mut store = Store::new(engine, ());
        store.set_fuel(u64::MAX).expect("fuel is on");
        let instance = Instance::new(&mut store, module, &[]).expect("the module starts");
        let memory = instance.get_memory(&mut store, "memory").expect("a memory");
        let alloc = instance.get_typed_func(&mut store, "fleetfold_alloc").expect("an export");
        let call = instance.get_typed_func(&mut store, "fleetfold_call").expect("an export");
        let free = instance.get_typed_func(&mut store, "fleetfold_free").expect("an export");
        Guest { store, memory, alloc, call, free }
    }

    /// The answer to a request, and the instructions that it took.
    fn call(&mut self, request: &str) -> (String, u64) {
        let len = u32::try_from(request.len()).expect("a request");
        let before = self.store.get_fuel().expect("fuel is on");
        let at = self.alloc.call(&mut self.store, len).expect("a buffer");
        self.memory.write(&mut self.store, at as usize, request.as_bytes()).expect("the request fits");
        let packed = self.call.call(&mut self.store, (at, len)).expect("the module does not trap");
        let (answer_at, answer_len) = ((packed >> 32) as u32, packed as u32);
        let mut answer = vec![0; answer_len as usize];
        self.memory.read(&self.store, answer_at as usize, &mut answer).expect("an answer");
        for (at, len) in [(at, len), (answer_at, answer_len)] {
            self.free.call(&mut self.store, (at, len)).expect("a buffer is freed");
        }
        let spent = before - self.store.get_fuel().expect("fuel is on");
        (String::from_utf8(answer).expect("UTF-8"), spent)
    }
}

/// The embedded module, which counts its instructions. Compiled once: that takes longer than most shapes.
fn compiled() -> &'static (Engine, Module) {
    static COMPILED: OnceLock<(Engine, Module)> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let mut config = Config::new();
        config.consume_fuel(true);
        let engine = Engine::new(&config).expect("an engine");
        let module = Module::new(&engine, EMBEDDED).expect("the module compiles");
        (engine, module)
    })
}

/// The instructions of all requests of a shape, and whether a limit refused one of them.
fn measure(guest: &mut Guest, shape: &Shape, n: usize) -> (u64, bool) {
    let (mut spent, mut refused) = (0, false);
    for request in (shape.requests)(n) {
        let (answer, fuel) = guest.call(&request);
        assert!(!answer.contains("\"bad-json\""), "{}: {answer}", shape.name);
        refused |= REFUSALS.iter().any(|it| answer.contains(it));
        spent += fuel;
    }
    (spent, refused)
}

#[test]
fn twice_the_size_takes_about_twice_the_instructions() {
    let (engine, module) = compiled();
    let mut failed = Vec::new();
    println!("{:>8} {:>14} {:>9}  shape", "exponent", "instructions", "refused");
    for shape in shapes::all() {
        let sizes = [1, 2, 4, 8].map(|factor| {
            let mut guest = Guest::new(engine, module);
            let measured = measure(&mut guest, shape, shape.n * factor);
            // Whatever happened, the next call is answered.
            let (next, _) =
                guest.call(r#"{"op":"select","selector":"a=b","clusters":[{"name":"c","labels":{"a":"b"}}]}"#);
            assert_eq!(next, r#"{"ok":{"clusters":["c"]}}"#, "after {}", shape.name);
            measured
        });
        let [_, _, (half, _), (full, refused)] = sizes;
        let exponent = (full as f64 / half as f64).log2();
        println!("{exponent:>8.2} {full:>14} {refused:>9}  {}", shape.name);
        if full > MAX_FUEL || exponent > MAX_EXPONENT && !refused {
            failed.push(format!("{}: exponent {exponent:.2}, {full} instructions", shape.name));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every op is asked by a shape that is about it, besides those that load and ask for everything.
#[test]
fn there_are_shapes_for_every_op() {
    let mut counts = BTreeMap::<&str, usize>::new();
    let mut names = BTreeMap::<&str, usize>::new();
    for shape in shapes::all() {
        *names.entry(shape.name).or_default() += 1;
        let requests = (shape.requests)(shape.n);
        for op in OPS.iter().filter(|op| requests.iter().any(|it| it.contains(&format!("\"op\":\"{}\"", op.name)))) {
            *counts.entry(op.name).or_default() += 1;
        }
    }
    println!("{counts:?}");
    assert!(names.values().all(|count| *count == 1), "two shapes of one name");
    for op in OPS {
        assert!(counts.contains_key(op.name), "no shape asks {}", op.name);
    }
}
