//! Runs a Kubewarden policy on the engine that Kubewarden itself uses: `policy-host MODULE < CASES`.
//!
//! A case is a line of JSON: `op`, the `payload` as text or the `hex` of its bytes, and the `script` of the host, a
//! list of `operation`, `when` (what the request must have in it) and an `answer` or an `error`. Each case has an
//! instance of its own, as with Kubewarden. What comes out is a line too: the `answer` or the `error`, and the host
//! `calls` that were made.
#![forbid(unsafe_code)]

use std::error::Error;
use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use fleetfold_core::Value;
use fleetfold_core::value::json;
use wapc::WapcHost;
use wasmtime_provider::{WasmtimeEngineProviderBuilder, WasmtimeEngineProviderPre};

fn main() -> ExitCode {
    let Some(module) = std::env::args_os().nth(1) else {
        eprintln!("usage: policy-host MODULE");
        return ExitCode::from(2);
    };
    match std::fs::read(module).map_err(Into::into).and_then(|module| run(&module)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(module: &[u8]) -> Result<(), Box<dyn Error>> {
    let compiled = WasmtimeEngineProviderBuilder::new().module_bytes(module).build_pre()?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case = json::parse(&line?).map_err(|error| error.message)?;
        writeln!(out, "{}", answer(&compiled, &case)?.to_canonical())?;
    }
    Ok(())
}

fn answer(compiled: &WasmtimeEngineProviderPre, case: &Value) -> Result<Value, Box<dyn Error>> {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let (script, noted) = (case.get("script").cloned().unwrap_or_default(), Arc::clone(&calls));
    let callback = move |_: u64, binding: &str, namespace: &str, operation: &str, request: &[u8]| {
        let name = format!("{binding}/{namespace}/{operation}");
        let request = json::parse(&String::from_utf8_lossy(request)).unwrap_or_default();
        let call = Value::map([("operation", Value::text(name.as_str())), ("request", request.clone())]);
        noted.lock().unwrap_or_else(PoisonError::into_inner).push(call);
        scripted(&script, &name, &request).map_err(Into::into)
    };
    let host = WapcHost::new(Box::new(compiled.rehydrate(None)?), Some(Box::new(callback)))?;
    let said = host.call(case.text_at(&["op"]), &payload(case)?);
    let said = match said {
        Ok(answer) => ("answer", String::from_utf8(answer)?),
        Err(error) => ("error", error.to_string()),
    };
    let calls = calls.lock().unwrap_or_else(PoisonError::into_inner).clone();
    Ok(Value::map([(said.0, Value::text(said.1)), ("calls", Value::list(calls))]))
}

/// What the script says to a call: its first line that fits.
fn scripted(script: &Value, name: &str, request: &Value) -> Result<Vec<u8>, String> {
    let fits = |line: &&Value| {
        name == line.text_at(&["operation"]) && line.get("when").is_none_or(|when| is_within(when, request))
    };
    let line = script.as_list().and_then(|it| it.iter().find(fits));
    match line.map(|it| (it.get("error"), it.get("answer"))) {
        Some((Some(error), _)) => Err(error.as_text().unwrap_or_default().to_owned()),
        // A text is said as it is: it may be no JSON.
        Some((None, Some(Value::Text(answer)))) => Ok(answer.as_bytes().to_vec()),
        Some((None, Some(answer))) => Ok(answer.to_canonical().into_bytes()),
        _ => Err(format!("unknown operation: {name}")),
    }
}

/// Whether everything in one value is in the other too.
fn is_within(part: &Value, whole: &Value) -> bool {
    match part.as_map() {
        Some(fields) => fields.iter().all(|(key, value)| whole.get(key).is_some_and(|it| is_within(value, it))),
        None => part == whole,
    }
}

fn payload(case: &Value) -> Result<Vec<u8>, Box<dyn Error>> {
    let Some(hex) = case.get("hex").and_then(Value::as_text) else {
        return Ok(case.text_at(&["payload"]).as_bytes().to_vec());
    };
    let byte = |pair: &[u8]| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?);
    hex.as_bytes().chunks(2).map(byte).collect()
}
