//! Prints what is generated from the types of the contract: `schema`, `typescript` or `codes`. `npm run types` runs it.

use fleetfold_core::api;

fn main() -> std::process::ExitCode {
    let schema = api::derived_schema();
    match std::env::args().nth(1).as_deref() {
        Some("schema") => println!("{}", schema.to_canonical()),
        Some("typescript") => print!("{}", api::typescript(&schema)),
        Some("codes") => print!("{}", api::codes()),
        _ => {
            eprintln!("usage: contract schema|typescript|codes");
            return std::process::ExitCode::FAILURE;
        }
    }
    std::process::ExitCode::SUCCESS
}
