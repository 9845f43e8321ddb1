//! The entry points: types, values, text and bytes. All call [`Workspace::call`].

use super::Op;
use super::op::{Entry, names};
use super::response::{Answered, refused_without};
use crate::diagnostic::{Code, Error};
use crate::value::json::{self, JsonErrorKind};
use crate::value::{JsonPath, Value};
use crate::workspace::Workspace;

impl Workspace {
    /// Answers a request.
    ///
    /// ```
    /// use fleetfold_core::Workspace;
    /// use fleetfold_core::api::{clusters::Clusters, load::Load};
    ///
    /// let mut workspace = Workspace::default();
    /// let text = "{apiVersion: greenhouse.sap/v1alpha1, kind: Cluster, metadata: {name: eu-1, namespace: demo}}";
    /// workspace.call(Load { text: Some(text.into()), ..Load::default() })?;
    /// let clusters = workspace.call(Clusters::default())?.answer.clusters;
    /// assert_eq!(clusters[0].name, "eu-1");
    /// # Ok::<(), fleetfold_core::diagnostic::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The request fails. The loaded documents do not change.
    pub fn call<O: Op>(&mut self, request: O) -> Result<Answered<O::Answer>, Error> {
        let mut findings = Vec::new();
        self.store.secrets.forget_tried();
        let answer = request.answer(self, &mut findings)?;
        Ok(Answered { answer, findings: findings.into_iter().map(Into::into).collect() })
    }

    /// Answers a request in the form of a value, with the response of [`Workspace::call_text`] as a value.
    ///
    /// The response goes through its text: writing it to values directly would double the code that writes answers.
    pub fn call_value(&mut self, request: Value) -> Value {
        let response = self.dispatch(request).unwrap_or_else(|error| self.refused(&error));
        json::parse_answer(&response).unwrap_or_default()
    }

    /// Answers one request text with one response text.
    ///
    /// ```
    /// let mut workspace = fleetfold_core::Workspace::default();
    /// let response = workspace.call_text(r#"{"op":"parse","text":"replicas: 3"}"#);
    /// assert_eq!(response, r#"{"ok":{"documents":[{"replicas":3}]}}"#);
    /// ```
    pub fn call_text(&mut self, request: &str) -> String {
        let answered = self.read_request(request, r#"{"op":"describe"}"#).and_then(|it| self.dispatch(it));
        answered.unwrap_or_else(|error| self.refused(&error))
    }

    /// The same for bytes that crossed a module boundary; `None` is a buffer that was never allocated.
    pub fn call_bytes(&mut self, request: Option<&[u8]>) -> String {
        match request {
            Some(request) => self.with_text(request, Workspace::call_text),
            None => self.refused(&Error::new(Code::BadRequest, "the request is not in a buffer of this module")),
        }
    }

    /// The same with the op as an argument; the bytes are the other fields of the request. Empty bytes mean no fields.
    ///
    /// ```
    /// let mut workspace = fleetfold_core::Workspace::default();
    /// let answer = workspace.call_op("patch", br#"{"object":{"a":1},"patch":[{"op":"remove","path":"/a"}]}"#);
    /// assert_eq!(answer, r#"{"ok":{"object":{}}}"#);
    /// ```
    pub fn call_op(&mut self, op: &str, fields: &[u8]) -> String {
        self.with_text(fields, |workspace, fields| {
            let answered = Entry::find(op).and_then(|op| {
                let fields = workspace.read_request(if fields.is_empty() { "{}" } else { fields }, "{}")?;
                op.run(workspace, fields)
            });
            answered.unwrap_or_else(|error| workspace.refused(&error))
        })
    }

    fn with_text(&mut self, bytes: &[u8], call: impl FnOnce(&mut Workspace, &str) -> String) -> String {
        match std::str::from_utf8(bytes) {
            Ok(text) => call(self, text),
            Err(error) => {
                let message = format!("the request is not UTF-8 from byte {} on", error.valid_up_to());
                self.refused(&Error::new(Code::BadRequest, message))
            }
        }
    }

    fn refused(&mut self, error: &Error) -> String {
        let values = crate::seeded!(ErrorsShowSecrets, self.secret_values(), None);
        refused_without(error, values.as_deref())
    }

    /// Reads a request. The live objects of different clusters are very similar.
    fn read_request(&mut self, request: &str, example: &str) -> Result<Value, Error> {
        // A longer one is no single cluster, and would be kept for nothing.
        const KEPT: usize = 64 * 1024;
        let is_sample = |it: &Value| request.len() <= KEPT && it.get("live").is_some();
        self.samples.read(request, is_sample).map_err(|error| {
            let is_json = request.trim_start().starts_with(['{', '[', '"']);
            let hint = (error.kind == JsonErrorKind::Syntax && !is_json).then(|| {
                format!("a request is a JSON object, as `{example}`; YAML goes into the `text` of the op `parse`")
            });
            Error::from(error).maybe_hint(hint)
        })
    }

    fn dispatch(&mut self, mut request: Value) -> Result<String, Error> {
        let root = &JsonPath::ROOT;
        let Some(fields) = request.as_map_mut() else { return Err(root.wrong_type("a map", &request)) };
        let at = &root.key("op");
        let op = match fields.remove("op") {
            Some(Value::Text(name)) => Entry::find(&name).map_err(|error| error.at(at))?,
            Some(other) => return Err(at.wrong_type("a string", &other)),
            None => {
                let hint = format!("known ops: {}", names().join(", "));
                return Err(Error::new(Code::MissingField, "the field `op` is missing").at(at).hint(hint));
            }
        };
        op.run(self, request)
    }
}
