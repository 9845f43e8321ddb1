//! Property tests with a seed that is printed before the first case, so that any failure can be run again:
//! `FLEETFOLD_SEED=<64 hex digits> cargo test …`.

use std::collections::hash_map::RandomState;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hasher};

use fleetfold_core::value::text::hex;
use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseResult, TestRng, TestRunner};

/// Holds `law` against `cases` generated inputs.
#[track_caller]
pub fn hold<S: Strategy>(name: &str, cases: u32, inputs: S, law: impl Fn(S::Value) -> TestCaseResult)
where
    S::Value: Debug,
{
    let seed = seed();
    let digits = hex(&seed);
    println!("law {name}: {cases} cases, FLEETFOLD_SEED={digits}");
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    if let Err(error) = runner.run(&inputs, law) {
        panic!("law {name} does not hold (FLEETFOLD_SEED={digits}): {error}");
    }
}

fn seed() -> [u8; 32] {
    let given = std::env::var("FLEETFOLD_SEED").ok().map(|text| {
        let digits = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2).unwrap_or("zz"), 16);
        let bytes: Result<Vec<u8>, _> = (0..32).map(digits).collect();
        bytes.expect("FLEETFOLD_SEED is 64 hexadecimal digits")
    });
    let bytes = given.unwrap_or_else(|| {
        let random = RandomState::new();
        (0u8..4)
            .flat_map(|part| {
                let mut hasher = random.build_hasher();
                hasher.write_u8(part);
                hasher.finish().to_le_bytes()
            })
            .collect()
    });
    bytes.try_into().expect("a seed has 32 bytes")
}
