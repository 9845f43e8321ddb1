// Finds a JDK, or installs Debian's, and gets Chicory by Maven once into the cache, outside of the tree.
//
//   node tests/hosts/java.mjs     makes sure that both are there, prints the class path
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, install, onPath, run } from "../machine.mjs";

const sources = fileURLToPath(new URL("anywhere/java", import.meta.url));

/** The program and the arguments that run a class of `anywhere/java`. */
export function java() {
  const jdk = findJdk();
  const files = readdirSync(sources).filter((it) => it.endsWith(".java"));
  const libraries = join(jars(), "*");
  const inputs = [jdk.version, libraries, ...files, ...files.map((it) => readFileSync(join(sources, it)))];
  const classes = cached("java", inputs, (folder) => {
    run(jdk.javac, ["-d", folder, "-classpath", libraries, ...files.map((it) => join(sources, it))]);
  });
  // A process that lives for seconds: what the second compiler of the JVM makes would come too late to pay.
  const lean = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"];
  return [jdk.java, [...lean, "-classpath", [classes, libraries].join(delimiter)]];
}

function findJdk() {
  const otherwise = "install a JDK, 17 or newer, or say in JAVA_HOME where one is";
  const home = process.env.JAVA_HOME;
  const find = (program) => (home ? join(home, "bin", program) : onPath(program));
  if (!find("javac")) install(["default-jdk-headless"], otherwise);
  const [java, javac] = [find("java"), find("javac")];
  const version = javac && spawnSync(javac, ["-version"], { encoding: "utf8" }).stdout?.trim();
  if (!(Number(version?.match(/^javac (\d+)/)?.[1]) >= 17))
    throw new Error(`${javac ?? "javac"} says ${version || "nothing"}: ${otherwise}`);
  return { java, javac, version };
}

/** The folder of the jars that `jars.sha256` lists, no more, no less and no others. */
function jars() {
  const [pom, lock] = ["pom.xml", "jars.sha256"].map((it) => readFileSync(join(sources, it), "utf8"));
  return cached("chicory", [pom, lock], (folder) => {
    if (!onPath("mvn")) install(["maven"], "install Maven");
    console.error("fetching Chicory by tests/hosts/anywhere/java/pom.xml");
    const quiet = ["--batch-mode", "--quiet", "--file", join(sources, "pom.xml")];
    run("mvn", [...quiet, "dependency:copy-dependencies", `-DoutputDirectory=${folder}`]);
    const sum = (file) =>
      createHash("sha256")
        .update(readFileSync(join(folder, file)))
        .digest("hex");
    const got = readdirSync(folder)
      .sort()
      .map((file) => `${sum(file)}  ${file}\n`)
      .join("");
    if (got !== lock) throw new Error(`Maven brought\n${got}and tests/hosts/anywhere/java/jars.sha256 lists\n${lock}`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(java()[1].at(-1));
