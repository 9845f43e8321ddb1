// Makes sure that the compiler of rust-toolchain.toml is there with its WebAssembly target. cargo gets it by itself,
// unless the machine has turned that off.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const { status, stdout } = spawnSync("rustc", ["--print", "target-libdir", "--target", "wasm32-unknown-unknown"], {
  cwd,
  encoding: "utf8",
});
if (status !== 0 || !existsSync(stdout.trim())) {
  const { status } = spawnSync("rustup", ["toolchain", "install"], { cwd, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
