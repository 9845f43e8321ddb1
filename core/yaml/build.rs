//! Gives the crate a digest that follows its source.

fn main() {
    fleetfold_source_digest::emit();
}
