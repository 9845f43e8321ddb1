//! The Go programs in `tests/oracles`: the originals, asked line by line.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::tree::{cache, root};

/// One oracle program, built.
#[derive(Debug)]
pub struct Oracle(PathBuf);

impl Oracle {
    /// Builds `tests/oracles/cmd/<name>`. Go's own cache makes this cheap the second time; the program lies outside the
    /// tree.
    pub fn build(name: &str) -> Oracle {
        let program = cache().join("oracles").join(name);
        let status = Command::new("go")
            .args(["build", "-trimpath", "-o"])
            .arg(&program)
            .arg(format!("./cmd/{name}"))
            .current_dir(root().join("tests/oracles"))
            .env("CGO_ENABLED", "0")
            .status()
            .expect("go can be run");
        assert!(status.success(), "the oracle {name} does not build");
        Oracle(program)
    }

    /// Generated requests, the same for the same seed.
    pub fn generate(&self, seed: u64, count: usize) -> Vec<String> {
        self.ask(&["generate", "-seed", &seed.to_string(), "-count", &count.to_string()], &[])
    }

    /// One answer for each line.
    pub fn ask(&self, arguments: &[&str], lines: &[String]) -> Vec<String> {
        let mut child = Command::new(&self.0)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the oracle can be run");
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let answers = std::thread::scope(|scope| {
            // Written from a thread of its own: a full pipe on one side must not stop the other.
            scope.spawn(move || lines.iter().for_each(|line| writeln!(stdin, "{line}").expect("the oracle reads")));
            BufReader::new(stdout).lines().map(|line| line.expect("the oracle writes UTF-8")).collect()
        });
        assert!(child.wait().expect("the oracle ends").success(), "the oracle failed");
        answers
    }
}

/// The seed of a differential run: `FLEETFOLD_SEED`, or one that is written down here, so that CI is repeatable.
pub fn seed() -> u64 {
    std::env::var("FLEETFOLD_SEED").map_or(20_261_116, |text| text.parse().expect("FLEETFOLD_SEED is a number"))
}
