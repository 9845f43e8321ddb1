// The properties that every operation on a field must keep.
//
// | property | means |
// |---|---|
// | answers | no trap, and every answer is of the form that the contract gives it |
// | roll back | a change and its undoing leave plan and results as they were, to the byte; applied, the objects too |
// | removed | a field that was set, applied and removed leaves what is there where it was never set |
// | reported | a wrong value is a finding at its document, or changes nothing |
// | deletes | a wrong value deletes nothing that the right one does not |
// | settles | a plan that is applied leaves nothing to do, within a bound |
// | applies | what a plan does can be done: nothing is created twice, every patch fits |
import { pointer, same } from "../model/json.mjs";
import { Broken, write } from "./engine.mjs";
import { keyOf, referenceOf } from "./fleet.mjs";
import { additionOf, placesOf, valueAt, withValue } from "./fields.mjs";
import { MARK, MARK_NUMBER, othersOf, typeOf, wrongValuesOf } from "./values.mjs";
import { exceptionFor } from "./tables.mjs";

/** What a fleet says: its plan and what each subject gives, as texts. */
function look(fleet) {
  const plan = fleet.plan({ lint: true });
  const effective = fleet.effective();
  return {
    plan,
    text: [plan, ...Object.values(effective)].map((it) => it.text).join("\n"),
    results: resultsOf(plan, effective),
  };
}

/** What would be done and what is given, without findings and statuses. */
function resultsOf({ ok, error }, effective) {
  const given = Object.entries(effective).map(([subject, answer]) => [subject, answer.ok ?? answer.error]);
  return write({ digest: ok?.digest ?? error, given });
}

const deletesOf = ({ plan }) =>
  (plan.ok?.actions ?? []).filter((it) => it.verb === "delete").map((it) => `${it.cluster} ${write(it.target)}`);

/** Whether a result holds the mark, which a finding may quote as well. */
const holdsMark = ({ plan, results }) => {
  const text = results + write([plan.ok?.actions, plan.ok?.held, plan.ok?.status]);
  return [MARK, MARK_NUMBER].some((it) => text.includes(it));
};

const errorsOf = ({ diagnostics = [] }) => diagnostics.filter((it) => it.severity === "error");

/** One field of one document of a fleet, with all operations on it. */
export class Drill {
  /**
   * - `raw` is the fleet as its files have it, `settled` a fleet of it with nothing left to do.
   * - `document` is the one that is changed, as its file has it.
   * - `isLong`: every wrong value and every other value. `isApplied`: with operations that are applied.
   * - `turn` picks the wrong value of the short form.
   */
  constructor(given) {
    Object.assign(this, given);
    const { document } = given;
    this.key = keyOf(document);
    this.reference = referenceOf(document);
  }

  /** Runs all operations. Returns the reason if there is no value for the field. */
  run() {
    const { document, field } = this;
    const [place] = placesOf(document, field.path);
    if (place) this.place = place;
    else {
      this.addition = additionOf(document, field);
      if (!this.addition) return "no document, table or schema has a value for it that fits here";
      this.place = this.addition.leaf;
    }
    const having = this.having(document);
    this.value = valueAt(having, this.place);
    if (this.value === undefined) return "the value that was found does not fit here";
    this.others = othersOf(field, this.value);
    this.wrong = wrongValuesOf(field, this.value);
    this.planned();
    if (this.isApplied) this.applied();
    if (this.isWritten && !/^(status|metadata)\b/.test(field.name)) return "the engine writes it: nobody can drill it";
    return undefined;
  }

  /** A document with the field, as it was found for it. */
  having(document) {
    return this.addition ? withValue(document, this.addition.place, this.addition.value) : document;
  }

  /** Takes out what `having` put in: the place holds again what it held before. */
  #without(document) {
    return withValue(document, this.addition.place, valueAt(this.document, this.addition.place));
  }

  /** One operation: what breaks a property is noted, with what was done. */
  operation(name, act) {
    this.onOperation(name);
    try {
      act();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      this.failed(name, error.property, error.message);
      return false;
    }
    return true;
  }

  failed(name, property, message) {
    const row = exceptionFor({ id: this.id, field: this.field.name, operation: name, property });
    if (row) this.onExcused(row);
    else this.onFailure({ operation: name, property, message });
  }

  require(name, property, holds, message) {
    if (!holds) this.failed(name, property, message());
  }

  /** Operations of which the plan is looked at, and nothing is done. */
  planned() {
    const fleet = this.settled.copy();
    const current = () => fleet.documents.get(this.key);
    if (this.addition) {
      const before = look(fleet);
      this.operation("set", () => this.#andBack(fleet, before, "set", this.having(current())));
      if (!this.operation("settle with the field", () => this.#setAndSettle(fleet))) return;
    }
    // A status that the engine writes is not what a person sets.
    if (!this.#holds(current())) return;
    const right = look(fleet);
    let removed;
    this.operation("remove", () => {
      removed = this.#andBack(fleet, right, "remove", withValue(current(), this.place, undefined));
    });
    const others = this.isLong ? this.others : this.others.slice(0, 1);
    for (const [index, value] of others.entries()) {
      const name = index === 0 ? "change" : `change ${index + 1}`;
      this.operation(name, () => this.#andBack(fleet, right, name, withValue(current(), this.place, value)));
    }
    for (const wrong of this.#some(this.wrong)) {
      const name = `wrong value: ${wrong.name}`;
      this.operation(name, () => {
        const seen = this.#andBack(fleet, right, name, withValue(current(), this.place, wrong.value));
        this.#judge(name, wrong, { right, removed, seen });
      });
    }
  }

  #holds(document) {
    const isKept = write(valueAt(document, this.place) ?? null) === write(this.value);
    this.isWritten ||= !isKept;
    return isKept;
  }

  #setAndSettle(fleet) {
    fleet.edit(this.having(fleet.documents.get(this.key)));
    fleet.settle("with the field, the fleet");
  }

  /** In the short form one of the wrong values, another one for every field and seed. */
  #some(values) {
    return this.isLong ? values : [values[this.turn % values.length]];
  }

  /** Edits, looks, and undoes the edit. */
  #andBack(fleet, before, name, edited) {
    const original = fleet.documents.get(this.key);
    const answer = fleet.edit(edited);
    const seen = { ...look(fleet), refused: answer.error !== undefined, loaded: answer };
    fleet.edit(original);
    const after = look(fleet);
    this.require(name, "roll back", after.text === before.text, () => differenceOf(before.text, after.text));
    return seen;
  }

  #judge(name, wrong, { right, removed, seen }) {
    const isSame = seen.results === right.results;
    // Null is the same as absent, and nothing can be empty.
    const isAbsent = ["null", "empty"].includes(wrong.name) && seen.results === removed?.results;
    const isTaken = !wrong.isTyped && holdsMark(seen) && !holdsMark(right);
    const isHeld = (seen.plan.ok?.held.length ?? 0) > (right.plan.ok?.held.length ?? 0);
    const known = this.#findings(right);
    const isReported =
      seen.refused ||
      isHeld ||
      this.#findings(seen).some((it) => this.#isHere(it) || !known.some((old) => same(it, old)));
    this.require(name, "reported", isSame || isAbsent || isTaken || isReported, () => {
      const value = JSON.stringify(wrong.value);
      return `${value} instead of ${write(this.value)} changes results, and no finding is at the document`;
    });
    const allowed = [...deletesOf(right), ...(isAbsent ? deletesOf(removed) : [])];
    const deletes = deletesOf(seen).filter((it) => !allowed.includes(it));
    const isName = isTaken && typeOf(this.value) === typeOf(wrong.value);
    this.require(name, "deletes", deletes.length === 0 || isName, () => `would be deleted: ${deletes.join(", ")}`);
  }

  /** The findings at a place of the document. */
  #findings({ plan, loaded }) {
    const all = [...(plan.diagnostics ?? []), ...(loaded?.diagnostics ?? [])];
    return all.filter(({ at }) => at?.path && this.#isOurs(at.document));
  }

  /** Whether a finding is at the field, at what holds it or at what it holds. */
  #isHere({ at }) {
    const here = pointer(this.place);
    return `${here}/`.startsWith(`${at.path}/`) || `${at.path}/`.startsWith(`${here}/`);
  }

  /** Findings leave the group out where no two kinds clash. */
  #isOurs(name = "") {
    const { kind, metadata } = this.document;
    return [this.reference, [kind, metadata.namespace, metadata.name].filter(Boolean).join("/")].includes(name);
  }

  /** Operations that are applied. Each begins with the fleet as it is with the field. */
  applied() {
    const start = this.settled.copy();
    if (this.addition && !this.operation("set and apply", () => this.#setAndSettle(start))) return;
    if (!this.#holds(start.documents.get(this.key))) return;
    const right = start.objects();
    const values = [
      ...this.others.slice(0, this.isLong ? 3 : 1).map((value) => ["change and apply", value]),
      ...this.#some(this.wrong).map((it) => [`wrong value, applied: ${it.name}`, it.value]),
    ];
    for (const [name, value] of values) {
      this.operation(name, () => {
        const fleet = start.copy();
        this.#write(fleet, value);
        fleet.settle("after the change, the fleet");
        this.#write(fleet, this.value);
        const last = fleet.settle("after the roll back, the fleet");
        if (this.#isWrongHere(last)) return;
        this.#compare(name, "roll back", right, fleet.objects(), last);
      });
    }
    this.operation("remove and apply", () => {
      const document = start.documents.get(this.key);
      start.edit(this.addition ? this.#without(document) : withValue(document, this.place, undefined));
      const last = start.settle("without the field, the fleet");
      // A document with an error keeps its last state, and so does what needs it: the history counts.
      if (errorsOf(last).length > errorsOf(this.settled.plan({ lint: true })).length) return;
      const never = this.#never();
      const held = [...last.ok.held, ...never.plan().ok.held];
      const found = { ...last, ok: { ...last.ok, held } };
      this.#compare("remove and apply", "removed", never.objects(), start.objects(), found);
    });
  }

  /** A document with an error keeps its last state, whichever that is. */
  #isWrongHere({ diagnostics = [] }) {
    return this.addition && diagnostics.some((it) => it.severity === "error" && this.#isOurs(it.at?.document));
  }

  #write(fleet, value) {
    fleet.edit(withValue(fleet.documents.get(this.key), this.place, value));
  }

  /** A fleet in which the field was never set. */
  #never() {
    if (this.addition) return this.settled;
    const documents = this.raw.documents.map((it) =>
      it === this.document ? withValue(it, this.place, undefined) : it,
    );
    return this.settle({ ...this.raw, documents });
  }

  /**
   * Compares the objects of two histories. What is held is not done, and what cannot be changed any more is reported:
   * such objects may differ.
   */
  #compare(name, property, wanted, found, { ok, diagnostics = [] }) {
    const heldKeys = new Set(ok.held.map(({ cluster, target }) => heldKey(cluster, target)));
    const immutable = diagnostics.filter((it) => it.code === "immutable-difference").map((it) => it.message);
    const isReported = (key) => immutable.some((it) => it.includes(`/${key.split("/").slice(2).join("/")}\``));
    const keys = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort();
    const different = keys.filter((key) => wanted[key] !== found[key] && !heldKeys.has(key) && !isReported(key));
    this.require(name, property, different.length === 0, () =>
      different
        .slice(0, 1)
        .map((key) => `${key}: ${differenceOf(wanted[key] ?? "absent", found[key] ?? "absent")}`)
        .join("; "),
    );
  }
}

const heldKey = (cluster, { apiVersion, kind, namespace, name }) =>
  `${cluster || "hub"} ${keyOf({ apiVersion, kind, metadata: { namespace, name } })}`;

/** Where two texts begin to differ. */
function differenceOf(wanted, found) {
  let at = 0;
  while (at < wanted.length && wanted[at] === found[at]) at += 1;
  const part = (text) => text.slice(Math.max(0, at - 60), at + 100);
  return `wanted …${part(wanted)}…, found …${part(found)}…`;
}
