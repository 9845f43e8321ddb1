#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fleetfold_fuzz::memory(data));
