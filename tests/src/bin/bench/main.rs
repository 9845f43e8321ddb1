//! Our side of the benchmark, as CPU time. Each command prints one JSON line; `tests/bench.mjs` puts them beside the Go
//! side of the same minutes.
//!
//! | command | measures |
//! |---|---|
//! | `bench small DIR GUEST` | single operations on the inputs in the folder, with the module of `tests/bench-guest` |
//! | `bench plan DIR COUNT native` or `wasmtime` | a whole fleet, from requests to the plan and every result |
//! | `bench plan DIR COUNT MODULE` | the same under wasmtime, with the module in a file |
//! | `bench change DIR COUNT` | one change in a workspace that holds such a fleet |
//! | `bench memory DIR COUNT` | what clusters take that all get the same |

mod change;
mod clock;
mod fleet;
mod memory;
mod plan;
mod small;

use std::path::Path;

use fleetfold_core::Value;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let count = |text: &str| text.parse().expect("a number of clusters");
    let figures = match arguments.as_slice() {
        ["small", folder, guest] => small::run(Path::new(folder), guest),
        ["plan", folder, clusters, "native"] => plan::native(Path::new(folder), count(clusters)),
        ["plan", folder, clusters, "wasmtime"] => plan::wasmtime(Path::new(folder), count(clusters), None),
        ["plan", folder, clusters, file] => plan::wasmtime(Path::new(folder), count(clusters), Some(Path::new(file))),
        ["change", folder, clusters] => change::run(Path::new(folder), count(clusters)),
        ["memory", folder, clusters] => memory::run(Path::new(folder), count(clusters)),
        _ => panic!(
            "usage: bench small DIR GUEST | plan DIR COUNT native|wasmtime|MODULE | change DIR COUNT | memory DIR COUNT"
        ),
    };
    println!("{}", Value::map(figures).to_canonical());
}
