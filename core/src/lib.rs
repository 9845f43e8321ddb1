//! stub
#[derive(Debug, Default)]
pub struct Workspace {}
impl Workspace {
    pub fn call(&mut self, _request: &str) -> String { String::from("{\"error\":{\"code\":\"unknown-op\",\"message\":\"no such op\"}}") }
    pub fn call_bytes(&mut self, request: Option<&[u8]>) -> String { match request.map(std::str::from_utf8) { Some(Ok(t)) => self.call(t), _ => String::new() } }
}
