//! The contract: requests in, answers out.
//!
//! Each op has a file of its own, with the types of its request and answer and the few lines that hand them to the
//! stage that does the work. [`OPS`] lists them. The JSON Schema and the TypeScript types come from the same types.

pub mod admit;
pub mod authorize;
mod call;
pub mod clusters;
mod codes;
pub mod configure;
pub mod defaults;
pub mod describe;
pub mod diff;
pub mod effective;
pub mod explain;
pub mod fold;
pub mod kinds;
pub mod lint;
pub mod load;
pub mod matching;
pub mod mold;
mod op;
pub mod ownership;
pub mod parse;
pub mod patch;
pub mod place;
pub mod plan;
pub mod print;
pub mod reach;
pub mod redact;
pub mod refresh;
mod response;
pub mod retain;
#[cfg(feature = "schema")]
mod schema;
pub mod select;
pub mod sources;
pub mod subjects;
mod typescript;
pub mod what_if;

pub use codes::codes;
pub use describe::schema;
pub use op::{Entry, OPS, Op};
pub use response::{Answered, Finding, Refusal, read_response, refused, request_text};
#[cfg(feature = "schema")]
pub use schema::derived_schema;
pub use typescript::typescript;

/// Counts are integers of the contract.
fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
