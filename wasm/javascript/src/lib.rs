//! The engine for JavaScript, and no rule. `web/src/api.ts` is what people call.

mod exact;

use fleetfold_core::value::json;
use js_sys::JsString;
use wasm_bindgen::prelude::{JsError, JsValue, wasm_bindgen};

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

    /// Text in, text out: nothing is lost on the way.
    #[wasm_bindgen(js_name = callText)]
    pub fn call_text(&mut self, request: &JsString) -> String {
        if request.is_valid_utf16() {
            return self.0.call(&String::from(request));
        }
        // A lone surrogate has no bytes, and would become another character without a word. The engine says where it is.
        let mut bytes = Vec::new();
        for unit in char::decode_utf16(request.iter()).map_while(Result::ok) {
            bytes.extend_from_slice(unit.encode_utf8(&mut [0; 4]).as_bytes());
        }
        bytes.push(0xff);
        self.0.call_bytes(Some(&bytes))
    }

    /// The same, with the answer as a value in which integers that a JavaScript number cannot hold are BigInts.
    #[wasm_bindgen(js_name = callExact)]
    pub fn call_exact(&mut self, request: &JsString) -> Result<JsValue, JsError> {
        let answer = json::parse(&self.call_text(request));
        answer.map(|answer| exact::write(&answer)).map_err(|problem| JsError::new(&problem.message))
    }
}
