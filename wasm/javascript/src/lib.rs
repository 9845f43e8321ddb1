//! The engine for JavaScript, and no rule. `web/src/api.ts` is what people call.

mod object;

use fleetfold_core::value::json;
use js_sys::JsString;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    type Utf16;

    /// As in js-sys, but a browser that lacks it causes an error instead of an exception.
    #[wasm_bindgen(method, catch, js_name = isWellFormed)]
    fn is_well_formed(this: &Utf16) -> Result<bool, JsValue>;
}

/// What is loaded stays until `free`.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Workspace(fleetfold_core::Workspace);

#[wasm_bindgen]
impl Workspace {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Workspace {
        Workspace::default()
    }

    /// Text in, text out: nothing is lost on the way, and nothing is faster.
    #[wasm_bindgen(js_name = callText)]
    pub fn call_text(&mut self, request: &JsString) -> String {
        // `is_valid_utf16` calls JavaScript for every character.
        if request.unchecked_ref::<Utf16>().is_well_formed().unwrap_or_else(|_| request.is_valid_utf16()) {
            return self.0.call_text(&String::from(request));
        }
        // A lone surrogate has no bytes, and would become another character without a word. The engine says where it
        // is.
        let mut bytes = Vec::new();
        for unit in char::decode_utf16(request.iter()).map_while(Result::ok) {
            bytes.extend_from_slice(unit.encode_utf8(&mut [0; 4]).as_bytes());
        }
        bytes.push(0xff);
        self.0.call_bytes(Some(&bytes))
    }

    /// Plain data in, an object out. BigInts in the request are exact integers; `bigint` is for the answer, as in
    /// `readAnswer`.
    #[wasm_bindgen(js_name = callObject)]
    pub fn call_object(&mut self, request: JsValue, bigint: bool) -> Result<JsValue, JsError> {
        let request = object::read(request)?;
        read_answer(&self.0.call_text(&request.to_canonical()), bigint)
    }
}

/// An answer of `callText` as an object, in which integers that a JavaScript number cannot hold are BigInts if
/// `bigint`, and else the nearest numbers.
#[wasm_bindgen(js_name = readAnswer)]
pub fn read_answer(text: &str, bigint: bool) -> Result<JsValue, JsError> {
    let answer = json::parse_answer(text).map_err(|error| JsError::new(&error.message))?;
    Ok(object::write(&answer, bigint)?)
}
