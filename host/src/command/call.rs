//! `fleetfold call`: reads requests and prints answers, one per line.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use fleetfold::guest::GuestError;

use super::EngineArgs;
use crate::command::output::{Failure, ignore_closed_pipe};

/// Run requests: JSON lines on standard input, JSON lines on standard output
///
/// All requests go to one workspace. An answer is printed before the next request is read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  fleetfold call < requests.jsonl
  echo '{\"op\":\"describe\"}' | fleetfold call
  fleetfold call --module other.wasm --timeout 10s < requests.jsonl")]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let mut engine = args.engine.start()?;
    let limit = args.engine.limits().request;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    loop {
        let read = read_line(&mut input, limit, &mut line);
        let read = read.map_err(|error| {
            Failure::new(
                format_args!("standard input cannot be read: {error}"),
                "give requests through a pipe or a file",
            )
        })?;
        let mut answer = match read {
            Line::End => return Ok(ExitCode::SUCCESS),
            Line::Whole if line.trim_ascii().is_empty() => continue,
            Line::Whole => engine.call(&line),
            Line::TooLong => GuestError::RequestTooLarge { limit }.to_answer(),
        };
        answer.push('\n');
        if !ignore_closed_pipe(output.write_all(answer.as_bytes()).and_then(|()| output.flush()))? {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole,
    /// Longer than the limit; read to its end and dropped.
    TooLong,
    End,
}

/// Reads the next line into `line`, without its line break and never more than `limit` bytes of it.
fn read_line(input: &mut impl BufRead, limit: usize, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or_default();
        too_long |= line.len() + part.len() > limit;
        if !too_long {
            line.extend_from_slice(part);
        }
        any |= !buffer.is_empty();
        let over = end.is_some() || buffer.is_empty();
        let used = end.map_or(buffer.len(), |at| at + 1);
        input.consume(used);
        if over {
            return Ok(if too_long {
                Line::TooLong
            } else if any {
                Line::Whole
            } else {
                Line::End
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, limit: usize, want: &[(Line, &str)]) {
        // A small buffer, so that lines span several.
        let mut input = io::BufReader::with_capacity(3, input.as_bytes());
        let mut line = Vec::new();
        for (kind, text) in want {
            assert_eq!(read_line(&mut input, limit, &mut line).unwrap(), *kind);
            if *kind == Line::Whole {
                assert_eq!(std::str::from_utf8(&line).unwrap(), *text);
            }
        }
        assert_eq!(read_line(&mut input, limit, &mut line).unwrap(), Line::End);
    }

    #[test]
    fn the_last_line_needs_no_line_break() {
        check("one\n\ntwo", 9, &[(Line::Whole, "one"), (Line::Whole, ""), (Line::Whole, "two")]);
    }

    #[test]
    fn a_line_at_the_limit_is_whole_and_one_above_is_not() {
        check("12345\n123456\n12345", 5, &[(Line::Whole, "12345"), (Line::TooLong, ""), (Line::Whole, "12345")]);
    }

    #[test]
    fn nothing_has_no_lines() {
        check("", 5, &[]);
    }
}
