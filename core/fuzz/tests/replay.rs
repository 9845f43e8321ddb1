//! Replays the kept inputs of every target.

use fleetfold_fuzz::{TARGETS, corpus};

#[test]
fn every_kept_input_holds() {
    for (name, target) in TARGETS {
        let inputs = corpus::read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(inputs.len() >= 15, "{name} has {} inputs", inputs.len());
        for input in &inputs {
            target(input);
        }
        println!("{name:10}{:6} inputs", inputs.len());
    }
}
