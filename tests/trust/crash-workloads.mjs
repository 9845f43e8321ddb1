// The runner is killed at every write of every story of examples/stories, as reliability-crashes.test.mjs does it for
// one workload. FLEETFOLD_CRASH_POINTS says how many points there must be: the stories begin again until they are
// reached.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { root } from "../cluster/documents.mjs";
import { all, crashAtEveryWrite, masked, NO_LIMITS, onDamagedPlane, plane, proxies } from "../cluster/reliability.mjs";
import { Story } from "../cluster/stories.mjs";

const POINTS = Number(process.env.FLEETFOLD_CRASH_POINTS ?? 1);

/** The dialect of a story, by the design document that its name begins with. */
const DIALECTS = { "000": "greenhouse", "001": "ocm", "002": "kudo", "003": "kubefed", "004": "certmanager" };

/** Stories that need more than their own folder. */
const EXAMPLES = {
  "003-ca-bundle": ["stories/003-ca-bundle/corrected"],
  "004-difference": ["certmanager/bundles", "stories/004-difference"],
  "004-install": ["certmanager/bundles", "stories/004-install"],
  "004-refresh": ["certmanager/bundles", "stories/004-refresh"],
  "004-upgrade": ["certmanager/bundles", "stories/004-upgrade"],
};

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What every cluster holds in the end, without what is another each time. */
async function look() {
  const found = {};
  for (const server of plane.servers) {
    for (const { plural, object } of await server.contents()) {
      // Its digest covers what servers give out, and the times at which it was written.
      if (plural === "fleetplans") continue;
      const name = [server.name, plural, object.metadata.namespace, object.metadata.name].filter(Boolean).join(" ");
      found[name] = masked(object);
    }
  }
  return JSON.parse(JSON.stringify(found).replaceAll(UID, "uid"));
}

describe("crashes in every story", () => {
  onDamagedPlane();
  let reached = 0;
  const stories = readdirSync(join(root, "examples", "stories")).sort();

  for (const name of stories) {
    test(`${name}: a crash at any write changes nothing about the end`, async () => {
      reached += await crash(name);
    });
  }

  test(`there are ${POINTS} crash points`, async () => {
    for (let at = 0; reached < POINTS; at += 1) {
      const more = await crash(stories[at % stories.length]);
      reached += more;
      if (at >= stories.length && reached === 0) throw new Error("no story writes anything");
    }
    console.log(`${reached} in all stories`);
  });

  async function crash(name) {
    const begin = async () => {
      await Promise.all([...plane.runners].map((it) => it.kill()));
      plane.runners.clear();
      all().forEach((it) => it.heal());
      await Promise.all(all().map((it) => it.drained()));
      await plane.clear();
      const story = new Story(plane, {}, { endpoint: (server) => proxies[server.name] });
      for (const example of EXAMPLES[name] ?? [`stories/${name}`]) await story.add(example);
    };
    const args = ["--dialect", DIALECTS[name.slice(0, 3)], ...NO_LIMITS];
    const { crashes, points } = await crashAtEveryWrite({ begin, args, look, ready: false });
    console.log(`${name}: ${crashes} crash points, all converged; ${points} tried`);
    return crashes;
  }
});
