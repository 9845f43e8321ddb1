// The vectors as requests, from standard input: a line each, the requests for one workspace.
import { readFileSync } from "node:fs";

export function cases() {
  return readFileSync(0, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
