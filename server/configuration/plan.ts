import type { Wanted, WantedKind } from './folder.ts';
import { type Kind, Refused } from './kind.ts';
import { kinds, namesInFiles } from './kinds.ts';
import { canonical, isValues, type Plain, picked, type Values } from './plain.ts';
import {
  keepingCredentials,
  type Live,
  type LiveKind,
  readKind,
  recordsOfNewPage,
  redactedAt,
  type World,
} from './records.ts';
import { missingIn } from './schemas.ts';
import { MissingValue, refers, type Sources, withValues } from './secrets.ts';

/** A field that a change sets. */
export type Difference = { field: string; before: Plain; after: Plain };

/** One change of one record. */
export type Step =
  | { action: 'create'; kind: Kind; key: string; wanted: Wanted }
  | { action: 'change'; kind: Kind; key: string; wanted: Wanted; live: Live; differences: Difference[] }
  | { action: 'remove'; kind: Kind; key: string; live: Live };

/** A kind that could not be compared; the permission is null where the project has no such kind. */
type Unread = { kind: Kind; reason: string; permission: string | null };

export type Plan = {
  steps: Step[];
  /** Kinds that could not be compared, so nothing is known about them. */
  unread: Unread[];
  /** Records that only the project has; they are removed with `prune`. */
  surplus: { kind: Kind; keys: string[] }[];
  /** Contradictions of the files and the project, each as `FILE:LINE what`. */
  faults: string[];
  /** Secrets that this plan needs and that have no value yet. */
  missing: string[];
};

export type PlanOptions = {
  prune: boolean;
  /** Sends every secret again, because the API does not show whether it changed. */
  setSecrets: boolean;
};

/** What has to change in the project environment so that it is as the files say. */
export async function makePlan(
  world: World,
  wantedKinds: readonly WantedKind[],
  { options, sources }: { options: PlanOptions; sources: Sources },
): Promise<Plan> {
  const plan: Plan = { steps: [], unread: [], surplus: [], faults: [], missing: [] };
  const removals: Step[] = [];
  for (const wanted of wantedKinds) {
    // biome-ignore lint/performance/noAwaitInLoops: kinds are read one after the other, to stay within rate limits
    const live = await readOrNote(world, wanted.kind, plan);
    if (!live) continue;
    plan.steps.push(...stepsFor(wanted, live, { plan, setSecrets: options.setSecrets }));
    const surplus = surplusOf(wanted, live);
    if (options.prune) removals.unshift(...surplus.map((one) => removalOf(live.kind, one)));
    else if (surplus.length > 0) plan.surplus.push({ kind: live.kind, keys: surplus.map(({ key }) => key) });
  }
  plan.steps.push(...removals);
  plan.missing = plan.steps.flatMap((step) => missingSecrets(step, sources, options));
  return plan;
}

/** The records of a kind, also of a status page that the plan makes; notes a kind that may not be read, and returns null. */
export async function readOrNote(
  world: World,
  kind: Kind,
  { unread, steps = [] }: Pick<Plan, 'unread'> & Partial<Plan>,
): Promise<LiveKind | null> {
  try {
    return await readKind(world, kind);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const isWithoutPage = error.status === 404 && kind.onNewPage !== undefined;
    if (error.status !== 403 && !isWithoutPage) throw error;
    if (isWithoutPage && steps.some((step) => step.kind.makesPage)) return recordsOfNewPage(kind);
    unread.push(isWithoutPage ? { kind, reason: NO_PAGE, permission: null } : unreadOf(kind, error));
    return null;
  }
}

const NO_PAGE = 'the project has no status page yet; publish one first, or give it an address in status-page.yaml';

function unreadOf(kind: Kind, { permission }: Refused): Unread {
  const reason = `the client lacks the permission ${permission ?? 'to read it'}`;
  return { kind, reason, permission: permission ?? '' };
}

type Noting = { plan: Plan; setSecrets: boolean };

function stepsFor({ kind, records }: WantedKind, live: LiveKind, { plan, setSecrets }: Noting): Step[] {
  const creations: Extract<Step, { action: 'create' }>[] = [];
  const changes: Step[] = [];
  for (const wanted of records) {
    const found = live.records.find(({ key }) => key === wanted.key);
    const fault = live.shared.has(wanted.key)
      ? `${wanted.place} ${JSON.stringify(wanted.key)} names several records of the project: give them different names`
      : faultOf(kind, wanted, { found, foreign: live.foreign });
    if (fault !== null) plan.faults.push(fault);
    else if (found) changes.push(...changeOf(kind, { wanted, live: found }, setSecrets));
    else creations.push({ action: 'create', kind, key: wanted.key, wanted });
  }
  return [...inOrder(kind, creations, ({ wanted }) => wanted), ...changes];
}

type Known = { found: Live | undefined; foreign: ReadonlySet<string> };

function faultOf(kind: Kind, { key, fields, place }: Wanted, { found, foreign }: Known): string | null {
  if (!found) {
    if (foreign.has(key) && !kind.replaced) {
      if (kind.makesPage) return `${place} is not for the default project, which has the page of the installation`;
      const own = kind.name === 'applications' ? 'is the client that this command uses; change it in the console' : '';
      return `${place} ${JSON.stringify(key)} ${own || 'is built in, or belongs to an organization, and cannot be changed here'}`;
    }
    const missing = missingIn(kind, fields);
    return missing.length > 0 ? `${place} is new and needs ${missing.join(', ')}` : null;
  }
  const fixed = (kind.fixed ?? []).find(
    (field) => fields[field] !== undefined && differs(kind, field, { fields, found }),
  );
  if (fixed === undefined) return null;
  return `${place} ${fixed} cannot be changed: remove ${JSON.stringify(key)} first, or name another record`;
}

type Compared = { fields: Values; found: Live };

function differs(kind: Kind, field: string, { fields, found }: Compared): boolean {
  const ordered = kind.ordered?.includes(field) === true;
  const [after, before] = [fields[field], found.fields[field]];
  if (kind.merged?.includes(field) && isValues(after) && isValues(before))
    return canonical(after, ordered) !== canonical(picked(before, Object.keys(after)), ordered);
  return canonical(after, ordered) !== canonical(before, ordered);
}

function changeOf(kind: Kind, { wanted, live }: { wanted: Wanted; live: Live }, setSecrets: boolean): Step[] {
  const fields = setSecrets ? wanted.fields : keepingCredentials(kind, wanted.fields, live.fields);
  const names = namesInFiles(kind).filter((name) => !kind.key.includes(name) && fields[name] !== undefined);
  const changed = names.filter((name) => {
    const secret = kind.secrets?.find(({ field }) => field === name);
    if (secret) return setSecrets || live.record[secret.set] !== true;
    return differs(kind, name, { fields, found: live });
  });
  if (changed.length === 0) return [];
  const differences = changed.map((field) => ({
    field,
    before: live.fields[field] ?? null,
    after: wanted.written[field] ?? null,
  }));
  return [{ action: 'change', kind, key: live.key, wanted, live, differences }];
}

/** The records that only the project has. */
function surplusOf({ kind, records }: WantedKind, live: LiveKind): Live[] {
  if (kind.key.length === 0) return [];
  const wanted = new Set(records.map(({ key }) => key));
  const left = live.records.filter(({ key }) => !wanted.has(key) && !live.shared.has(key));
  const bound = left.filter(({ fields }) => !kind.bound || canonical(fields['purposes'], false) !== '[]');
  return inOrder(kind, bound, (one) => one).reverse();
}

function removalOf(kind: Kind, live: Live): Step {
  return { action: 'remove', kind, key: live.key, live };
}

/** Records after those that they need. */
function inOrder<T>(kind: Kind, records: readonly T[], recordOf: (one: T) => { key: string; fields: Values }): T[] {
  const { needs } = kind;
  if (!needs) return [...records];
  const sorted: T[] = [];
  const seen = new Set<string>();
  const visit = (one: T) => {
    const { key, fields } = recordOf(one);
    if (seen.has(key)) return;
    seen.add(key);
    for (const needed of records.filter((other) => needs(fields).includes(recordOf(other).key))) visit(needed);
    sorted.push(one);
  };
  for (const one of records) visit(one);
  return sorted;
}

/** The secrets of a step that have no value, each as `FILE:LINE what`. */
function missingSecrets(step: Step, sources: Sources, { setSecrets }: PlanOptions): string[] {
  if (step.action === 'remove') return [];
  try {
    secretsResolved(step, sources, setSecrets);
    return [];
  } catch (error) {
    if (!(error instanceof MissingValue)) throw error;
    return [`${step.wanted.place} ${error.message}`];
  }
}

/**
 * The fields that a step writes, with the values of secrets. Credentials that the API keeps are sent back redacted.
 * @throws MissingValue
 */
export function secretsResolved(
  step: Exclude<Step, { action: 'remove' }>,
  sources: Sources,
  setSecrets: boolean,
): Values {
  const { kind, wanted } = step;
  const live = step.action === 'change' ? step.live.fields : undefined;
  const kept = live && !setSecrets ? keepingCredentials(kind, wanted.fields, live) : wanted.fields;
  const names = step.action === 'change' ? step.differences.map(({ field }) => field) : Object.keys(kept);
  const resolved = Object.entries(picked(kept, names)).map(([name, value]): [string, Plain] => {
    if (kind.secrets?.some(({ field }) => field === name) && typeof value === 'string')
      return [name, withValues(value, sources)];
    if (!kind.redacts?.includes(name) || !isValues(value)) return [name, value];
    const entries = Object.entries(value).map(([inner, text]): [string, Plain] => {
      const asked = typeof text === 'string' && refers(text) && (setSecrets || !redactedAt(live, [name, inner]));
      return [inner, asked ? withValues(text, sources) : text];
    });
    return [name, Object.fromEntries(entries)];
  });
  return Object.fromEntries(resolved);
}

/** The kinds with these names. */
export function kindsNamed(names: readonly string[]): { known: Kind[]; unknown: string[] } {
  const known = kinds.filter(({ name }) => names.includes(name));
  return { known, unknown: names.filter((name) => !kinds.some((kind) => kind.name === name)) };
}

/** A record's name for people, such as `roles editor`. */
export function nameOf(kind: Kind, key: string): string {
  return kind.key.length === 0 ? kind.name : `${kind.name} ${printable(key)}`;
}

/** A text that cannot move the cursor or hide what stands beside it. */
export function printable(text: string): string {
  const escaped = (sign: string) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escaped);
}

/** Whether two states of a record are the same for the files. */
export function sameState(kind: Kind, a: Live, b: Live): boolean {
  return namesInFiles(kind).every((name) => !differs(kind, name, { fields: a.fields, found: b }));
}
