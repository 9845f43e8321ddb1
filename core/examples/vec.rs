use fleetfold_core::{Value, Workspace, value::json};
fn files(dir: &std::path::Path, out: &mut Vec<std::path::PathBuf>) {
    if dir.is_file() { out.push(dir.into()); return }
    for e in std::fs::read_dir(dir).unwrap().flatten() {
        let p = e.path();
        if p.is_dir() { files(&p, out) } else if p.extension().is_some_and(|x| x == "json") { out.push(p) }
    }
}
fn main() {
    let mut all = Vec::new();
    let args: Vec<String> = std::env::args().skip(1).collect();
    for a in &args { files(std::path::Path::new(a), &mut all); }
    all.sort();
    for p in all {
        let text = std::fs::read_to_string(&p).unwrap();
        let v = json::parse_within(&text, 400).unwrap();
        let mut w = Workspace::default();
        let req = |v: &Value| v.get("text").and_then(Value::as_text).map(String::from).unwrap_or_else(|| v.get("request").map(Value::to_canonical).unwrap_or_default());
        for g in v.get("given").and_then(Value::as_list).into_iter().flatten() {
            println!("{}\tG\t{}", p.display(), w.call_text(&g.to_canonical()));
        }
        match v.get("steps").and_then(Value::as_list) {
            Some(steps) => for s in steps { println!("{}\tA\t{}", p.display(), w.call_text(&req(s))) },
            None => println!("{}\tA\t{}", p.display(), w.call_text(&req(&v))),
        }
    }
}
