//! The files of the preview page, as `web/build.mjs` wrote them to `web/site`.
//!
//! A checkout without that folder compiles too: [`FILES`] is empty then, and `fleetfold serve` shows how to build the
//! page.
#![forbid(unsafe_code)]

include!(concat!(env!("OUT_DIR"), "/files.rs"));
