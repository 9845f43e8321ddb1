// Every field of every kind that a dialect reads, drilled in memory: `drill.mjs` says how, `properties.mjs` what must
// hold. `FLEETFOLD_OPERATIONS=all` is the long form, `FLEETFOLD_SEED` picks other values.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { countsOf, drillKind, HEADER, lineOf, subjectsOfDrills } from "./drill.mjs";
import { Broken, mismatchIn, startEngine } from "./engine.mjs";
import { Fleet } from "./fleet.mjs";

const isLong = process.env.FLEETFOLD_OPERATIONS === "all";
const seed = Number(process.env.FLEETFOLD_SEED ?? 1);
const { drills, missing } = subjectsOfDrills();

describe("operations", () => {
  test("every kind that a dialect reads is drilled, or a table says why not", () => {
    assert.deepEqual(missing, []);
    const dialects = new Set(drills.map((it) => it.dialect));
    assert.deepEqual([...dialects].sort(), ["certmanager", "greenhouse", "kubefed", "kudo", "ocm"]);
  });

  for (const drill of drills) {
    test(`${drill.kind} (${drill.fleet.name})`, (context) => {
      const totals = drillKind(drill, { isLong, seed });
      context.diagnostic(HEADER);
      context.diagnostic(countsOf(drill, totals));
      assert.deepEqual([...totals.without, ...totals.failures].map(lineOf), []);
      assert.deepEqual(totals.unchanged, [], "each field gets another value");
      assert.ok(totals.operations >= 2 * totals.fields, "each field is removed and gets a wrong value at least");
    });
  }
});

describe("the properties can fail", () => {
  const kudo = drills.find((it) => it.kind === "kudo.dev/OperatorVersion");
  const drilled = (change) => {
    const fields = kudo.fields.filter((it) => it.name === "spec.installPlan");
    return drillKind({ ...kudo, fields, ...change }, { isLong: true, seed });
  };

  test("a fleet that takes every value without a finding fails", () => {
    const { plan } = Fleet.prototype;
    Fleet.prototype.plan = function (request) {
      return { ...plan.call(this, request), diagnostics: [] };
    };
    try {
      const properties = drilled().failures.map((it) => it.property);
      assert.ok(properties.includes("reported"), properties.join(", "));
    } finally {
      Fleet.prototype.plan = plan;
    }
  });

  test("a fleet that remembers what was rolled back fails", () => {
    const { effective } = Fleet.prototype;
    let asked = 0;
    Fleet.prototype.effective = function () {
      return { ...effective.call(this), asked: { text: `${(asked += 1)}`, ok: {} } };
    };
    try {
      const properties = drilled().failures.map((it) => it.property);
      assert.ok(properties.includes("roll back"), properties.join(", "));
    } finally {
      Fleet.prototype.effective = effective;
    }
  });

  test("a fleet that never settles fails", () => {
    const { apply } = Fleet.prototype;
    const { plan } = Fleet.prototype;
    Fleet.prototype.apply = () => {};
    try {
      assert.throws(
        () => Fleet.of(kudo.fleet).settle(),
        (error) => error instanceof Broken && error.property === "settles",
      );
    } finally {
      Object.assign(Fleet.prototype, { apply, plan });
    }
  });

  test("a field that nobody has a value for fails", () => {
    const field = { name: "spec.zz", path: ["spec", "zz"], values: [], carriers: [] };
    assert.deepEqual(
      drilled({ fields: [field] }).without.map((it) => it.field),
      ["spec.zz"],
    );
  });

  test("an answer of another form than the contract's is found", () => {
    const plan = { actions: [], digest: "", held: [], needs: [], status: [] };
    const schema = { $ref: "#/$defs/PlanAnswer" };
    assert.equal(mismatchIn(plan, schema, "/ok"), undefined);
    assert.match(mismatchIn({ ...plan, held: {} }, schema, "/ok"), /^is not of type array at \/ok\/held$/);
    assert.match(mismatchIn({ ...plan, more: 1 }, schema, "/ok"), /unknown field `more`/);
    assert.equal(startEngine().ask({ op: "nonsense" }).error.code, "unknown-op");
  });
});
