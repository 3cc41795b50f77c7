import { hash } from 'node:crypto';
import { problem } from '#platform/problem.ts';
import { applySteps, type Issued, type Outcome } from './apply.ts';
import { writtenOf } from './export.ts';
import { recordOf, type WantedKind } from './folder.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { canonical, isValues, type Plain } from './plain.ts';
import { makePlan, type Plan, readOrNote, type Step, secretsResolved } from './plan.ts';
import type { LiveKind, World } from './records.ts';
import { isReference, REDACTED, type Sources } from './secrets.ts';

/** A value that differs; JSON, and null where there is none. Values of secrets are not shown. */
type ShownValue = { field: string; name: string; before: string | null; after: string | null; secret: boolean };

/** A step of a promotion, as people see it. */
export type PromotedStep = {
  /** It changes with what the person sees of the step. */
  id: string;
  step: Step;
  values: ShownValue[];
  /** The names of secrets that the step needs. They cannot be read from the other environment. */
  secrets: string[];
  /** Latchkey makes a secret for the new record and shows it once. */
  issues: boolean;
};

/** A step that a person has chosen; `fields` chooses only some of a change. */
type Choice = { id: string; fields?: readonly string[] };

type Worlds = { from: World; to: World };
type Promotion = Pick<Plan, 'unread' | 'faults'> & { steps: PromotedStep[] };

/**
 * What has to change in one environment so that it is as the other one: the plan of files that were exported there.
 * Domains are left out, because a host serves one environment.
 * @throws Refused
 */
export async function planPromotion({ from, to }: Worlds): Promise<Promotion> {
  const sources = sourcesOf({});
  const found: Pick<Plan, 'unread' | 'faults'> = { unread: [], faults: [] };
  const wanted: WantedKind[] = [];
  const shared = new Map<Kind, ReadonlySet<string>>();
  for (const kind of kinds.filter(({ bound }) => !bound)) {
    // biome-ignore lint/performance/noAwaitInLoops: kinds are read one after the other, to stay within rate limits
    const read = await readOrNote(from, kind, found);
    if (!read) continue;
    wanted.push(wantedOf(read, sources, found.faults));
    shared.set(kind, read.shared);
  }
  const plan = await makePlan(to, wanted, { options: { prune: true, setSecrets: false }, sources });
  // Where several records of the source have one key, the record of the target may be one of them.
  const steps = plan.steps.filter((step) => step.action !== 'remove' || !shared.get(step.kind)?.has(step.key));
  return {
    steps: steps.map(promoted),
    unread: [...found.unread, ...plan.unread],
    faults: [...found.faults, ...plan.faults],
  };
}

/**
 * Makes the chosen steps, in the order of the plan, and stops at the first that fails.
 * @throws Problem CONFLICT if the present plan has not the choice, VALIDATION_FAILED if a secret is missing
 */
export async function applyPromotion(
  worlds: Worlds,
  choices: readonly Choice[],
  secrets: Readonly<Record<string, string>>,
): Promise<Outcome & { issued: Issued[] }> {
  const { steps } = await planPromotion(worlds);
  const chosen = steps.flatMap(({ id, step }) => {
    const choice = choices.find((one) => one.id === id);
    return choice ? [narrowed(step, choice.fields)] : [];
  });
  const whole = chosen.filter((step) => step !== null);
  if (whole.length !== choices.length)
    throw problem('CONFLICT', 'One of the environments has changed since. Nothing was applied: look at it again.');
  const missing = whole.flatMap(secretsAskedBy).filter((name) => !Object.hasOwn(secrets, name));
  if (missing.length > 0) throw problem('VALIDATION_FAILED', `Send the secrets ${missing.join(', ')}.`);
  worlds.to.directory.forget();
  const issued: Issued[] = [];
  const outcome = await applySteps(worlds.to, whole, {
    sources: sourcesOf(secrets),
    setSecrets: false,
    onIssued: async (one) => {
      issued.push(one);
    },
    onDone: () => undefined,
  });
  return { ...outcome, issued };
}

/** References to files are never written for a promotion, so no folder is read. */
function sourcesOf(environment: Sources['environment']): Sources {
  return { folder: '', environment };
}

/** The records of the source as the files of an export would hold them. */
function wantedOf({ kind, records, shared }: LiveKind, sources: Sources, faults: string[]): WantedKind {
  faults.push(...[...shared].map((key) => `${kind.name} ${JSON.stringify(key)} names several records`));
  const wanted = records
    .filter(({ key }) => !shared.has(key))
    .flatMap((live) => {
      const place = kind.key.length === 0 ? kind.name : `${kind.name} ${live.key}`;
      const record = recordOf(kind, writtenOf(kind, live), { sources, at: () => place });
      faults.push(...record.faults);
      return record.wanted ? [record.wanted] : [];
    });
  return { kind, records: wanted };
}

/** @returns null if a field is not part of the change */
function narrowed(step: Step, fields: readonly string[] | undefined): Step | null {
  if (fields === undefined) return step;
  if (step.action !== 'change') return null;
  const differences = step.differences.filter(({ field }) => fields.includes(field));
  return differences.length === new Set(fields).size && differences.length > 0 ? { ...step, differences } : null;
}

function promoted(step: Step): PromotedStep {
  const { kind } = step;
  return {
    id: idOf(step),
    step,
    values: valuesOf(step),
    secrets: secretsAskedBy(step),
    issues: step.action === 'create' && kind.issued?.by(step.wanted.fields) === true,
  };
}

function idOf(step: Step): string {
  const { action, kind, key } = step;
  const text = (field: string, value: Plain) => canonical(value, kind.ordered?.includes(field) === true);
  const content =
    action === 'change'
      ? step.differences.map(({ field, before, after }) => [field, text(field, before), text(field, after)])
      : Object.entries(action === 'remove' ? step.live.fields : step.wanted.written).map(([field, value]) => [
          field,
          text(field, value),
        ]);
  return hash('sha256', JSON.stringify([action, kind.name, key, content]), 'base64url').slice(0, 22);
}

function valuesOf(step: Step): ShownValue[] {
  if (step.action === 'remove') return [];
  const { kind, wanted } = step;
  if (step.action === 'change')
    return step.differences.flatMap(({ field, before }) =>
      shownValues(kind, field, { before, after: wanted.fields[field] ?? null }),
    );
  return Object.entries(wanted.fields)
    .filter(([field]) => !kind.key.includes(field))
    .flatMap(([field, after]) => shownValues(kind, field, { before: null, after }));
}

type Pair = { before: Plain; after: Plain };

/** One line for a field, or one for each value inside it where both are objects. */
function shownValues(kind: Kind, field: string, { before, after }: Pair): ShownValue[] {
  const redacts = kind.redacts?.includes(field) === true;
  const inside = redacts || (isValues(before) && isValues(after));
  if (!inside || !isValues(after)) return [shownValue(kind, { field, name: field }, { before, after })];
  const known = isValues(before) ? before : {};
  const merged = kind.merged?.includes(field) === true;
  const names = new Set([...(merged ? [] : Object.keys(known)), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const pair = { before: known[name] ?? null, after: after[name] ?? null };
    const kept = pair.before === REDACTED && isReferenceText(pair.after);
    if (kept || canonical(pair.before, true) === canonical(pair.after, true)) return [];
    return [shownValue(kind, { field, name: `${field}.${name}` }, pair)];
  });
}

function shownValue(kind: Kind, place: { field: string; name: string }, { before, after }: Pair): ShownValue {
  const written = kind.secrets?.some(({ field }) => field === place.field) === true;
  const redacted = kind.redacts?.includes(place.field) === true && (before === REDACTED || isReferenceText(after));
  if (written || redacted) return { ...place, before: null, after: null, secret: true };
  const text = (value: Plain) => (value === null ? null : JSON.stringify(value));
  return { ...place, before: text(before), after: text(after), secret: false };
}

function isReferenceText(value: Plain): boolean {
  return typeof value === 'string' && isReference(value);
}

/** The names of the secrets that a step resolves. */
function secretsAskedBy(step: Step): string[] {
  if (step.action === 'remove') return [];
  const asked = new Set<string>();
  const environment = new Proxy<Record<string, string>>(
    {},
    {
      get: (_, name) => {
        asked.add(String(name));
        return REDACTED;
      },
    },
  );
  secretsResolved(step, sourcesOf(environment), false);
  return [...asked];
}
