// Runs rows one after the other and prints their table.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { root } from "../cluster/documents.mjs";

/** How much of a row is asked for. A part of it is at least one; some rows do all of it or nothing. */
export function wantedOf({ short, long, always }, { isShort, scale }) {
  if (isShort) return short;
  return always ? long : Math.max(1, Math.ceil(long * scale));
}

/**
 * Runs rows; answers `[{ row, wanted, count, unit, seed, problem, minutes }]`. A row's `run` answers how much it did,
 * or throws.
 */
export async function runRows(rows, options, say = () => {}) {
  const results = [];
  for (const row of rows) {
    const log = join(options.logs, `${row.name}.log`);
    writeFileSync(log, "");
    const wanted = wantedOf(row, options);
    say(`${row.name}: ${wanted.toLocaleString("en")} ${row.unit}, seed ${options.seed}; ${log}`);
    const begun = Date.now();
    const result = { row, wanted, unit: row.unit, seed: row.seed === false ? "–" : options.seed, log };
    try {
      const { count, note } = await row.run({ ...options, log, count: wanted });
      Object.assign(result, { count, note });
      if (!(count >= wanted)) result.problem = `only ${count} of ${wanted} ${row.unit}`;
    } catch (error) {
      result.problem = error.message;
    }
    result.minutes = (Date.now() - begun) / 60_000;
    say(`${row.name}: ${result.problem ? `FAILED: ${result.problem}` : "held"}, ${result.minutes.toFixed(1)} minutes`);
    results.push(result);
  }
  return results;
}

/** The results as a table in Markdown. */
export function tableOf(results) {
  const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
  const rows = results.map(({ row, count, unit, seed, problem, note, minutes }) => [
    row.name,
    row.what,
    seed,
    count === undefined ? "–" : `${count.toLocaleString("en")} ${unit}`,
    problem ? `**failed**: ${problem.slice(0, 200)}` : ["held", note].filter(Boolean).join("; "),
    minutes.toFixed(1),
  ]);
  const head = ["row", "what must hold", "seed", "count", "result", "minutes"];
  const lines = [head, head.map(() => "---"), ...rows].map((it) => `| ${it.map(cell).join(" | ")} |`);
  return lines.join("\n");
}

/** What a result is about: the day, the machine and the source. */
export function headOf({ isShort, scale, seed }) {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  let commit = "not from a repository";
  try {
    commit = git("rev-parse", "--short=12", "HEAD") + (git("status", "--porcelain") ? " with changes" : "");
  } catch {
    // A release has no history.
  }
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? "?"}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const form = isShort ? "short form" : scale === 1 ? "long form" : `${scale} of the long form`;
  return (
    `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC, ${machine}, commit ${commit}, ` +
    `${form}, seed ${seed}`
  );
}
