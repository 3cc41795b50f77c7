import type { Target } from './kind.ts';
import { Refused } from './kind.ts';
import { isValues, type Plain, picked, type Values } from './plain.ts';
import { type Step, sameState, secretsResolved } from './plan.ts';
import { fieldsForApi, type Live, readAgain, readKind, type World } from './records.ts';
import type { Sources } from './secrets.ts';

/** A value that the API shows once, with the new record. */
export type Issued = { kind: string; key: string; field: string; value: string };

export type Applying = {
  sources: Sources;
  setSecrets: boolean;
  onIssued: (issued: Issued) => Promise<void>;
  onDone: (step: Step) => void;
};

export type Outcome = { done: Step[]; failed: { step: Step; reason: string } | null; left: Step[] };

/** Thrown for a record that is no longer as the plan saw it. */
class ChangedSince extends Error {
  override readonly name = 'ChangedSince';
}

/** Makes the changes of a plan, one after the other, and stops at the first that fails. */
export async function applySteps(world: World, steps: readonly Step[], applying: Applying): Promise<Outcome> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      // biome-ignore lint/performance/noAwaitInLoops: a record may need those before it
      await applyStep(world, step, applying);
    } catch (error) {
      const known = error instanceof Refused || error instanceof ChangedSince;
      const reason = known ? error.message : `an unexpected error: ${String(error)}`;
      return { done, failed: { step, reason }, left: steps.slice(done.length + 1) };
    }
    done.push(step);
    applying.onDone(step);
    world.directory.forget();
  }
  return { done, failed: null, left: [] };
}

async function applyStep(world: World, step: Step, applying: Applying): Promise<void> {
  if (step.action === 'remove') return remove(world, step);
  const fields = secretsResolved(step, applying.sources, applying.setSecrets);
  const { body, unknown } = await fieldsForApi(step.kind, fields, world.directory);
  if (unknown !== null) throw new ChangedSince(`there is no ${unknown}`);
  if (step.action === 'change') return change(world, step, body);
  return create(world, { step, body }, applying);
}

type Creation = Extract<Step, { action: 'create' }>;

async function create(
  world: World,
  { step, body }: { step: Creation; body: Values },
  applying: Applying,
): Promise<void> {
  const { kind, key } = step;
  if (kind.replaced) return replaceBuiltIn(world, step, body);
  if (!kind.unique && (await recordsNamed(world, step)).length > 0)
    throw new ChangedSince(`${key} was added since the plan was made`);
  const later = [...(kind.later ?? []), ...(kind.bound ? kind.fields : [])];
  const first = Object.fromEntries(Object.entries(body).filter(([name]) => !later.includes(name)));
  const reply = await world.target.call('POST', kind.path, { body: first });
  const record = isValues(reply.body) ? reply.body : {};
  const path = [kind.path, ...kind.id.map((name) => encodeURIComponent(String(record[name])))].join('/');
  if (!kind.unique) await yieldToTwin(world, step, path);
  for (const field of kind.issued?.fields ?? []) {
    const value = record[field];
    // biome-ignore lint/performance/noAwaitInLoops: a kind issues one value
    if (typeof value === 'string') await applying.onIssued({ kind: kind.name, key, field, value });
  }
  if (kind.bound) return bind(world.target, path, { before: [], after: textsOf(body['purposes']) });
  const rest = picked(
    body,
    later.filter((name) => body[name] !== undefined && body[name] !== record[name]),
  );
  if (Object.keys(rest).length === 0) return;
  const { etag } = await readAgain(world, kind, path);
  await world.target.call('PATCH', path, { body: rest, etag });
}

async function recordsNamed(world: World, { kind, key }: Creation): Promise<Live[]> {
  return (await readKind(world, kind)).records.filter((one) => one.key === key);
}

/** How often, and how long apart, the list is read again to see whether another apply takes its record back. */
const LOOKS = 4;
const LOOK_PAUSE_MS = 500;

/**
 * Two applies at the same time may both add a record whose key the API does not keep unique. The later one takes its
 * record back; the first waits for that, and takes its own back if the other one stays, because that one did not see it.
 */
async function yieldToTwin(world: World, step: Creation, path: string): Promise<void> {
  const rank = ({ record }: Live) => `${String(record['createdAt'] ?? '')} ${String(record['id'] ?? '')}`;
  for (let look = 1; look <= LOOKS; look += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: the other apply needs time
    const [first, ...others] = (await recordsNamed(world, step)).sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    if (others.length === 0) return;
    if (first?.path !== path) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS));
  }
  await world.target.call('DELETE', path);
  throw new ChangedSince(`${step.key} was added at the same time by someone else`);
}

/** The text that is built in has an ETag, so a text that was written since the plan stays. */
async function replaceBuiltIn(world: World, { kind, key, wanted }: Creation, body: Values): Promise<void> {
  const path = [kind.path, ...kind.id.map((name) => encodeURIComponent(String(wanted.fields[name])))].join('/');
  const { live, etag } = await readAgain(world, kind, path);
  if (!kind.foreign?.(live.record)) throw new ChangedSince(`${key} was written since the plan was made`);
  const fields = { ...live.fields, ...body };
  await world.target.call('PUT', path, { body: picked(fields, kind.fields), etag });
}

type ChangeStep = Extract<Step, { action: 'change' }>;

/** The record of a step, with its address if the plan could not know it. */
async function located(world: World, { kind, key, live }: Exclude<Step, { action: 'create' }>): Promise<Live> {
  if (live.path !== '') return live;
  const found = (await readKind(world, kind)).records.find((one) => one.key === key);
  if (!found) throw new ChangedSince(`${key} was removed since the plan was made`);
  return { ...live, path: found.path };
}

async function change(world: World, step: ChangeStep, body: Values): Promise<void> {
  const { kind } = step;
  const live = await located(world, step);
  const now = await readAgain(world, kind, live.path);
  if (!sameState(kind, live, now.live) || !sameState(kind, now.live, live))
    throw new ChangedSince(`${step.key || kind.name} was changed since the plan was made`);
  if (kind.bound)
    return bind(world.target, live.path, {
      before: textsOf(live.fields['purposes']),
      after: textsOf(body['purposes']),
    });
  if (kind.replaced) {
    const fields = picked({ ...now.live.fields, ...body }, kind.fields);
    await world.target.call('PUT', live.path, { body: fields, etag: now.etag });
    return;
  }
  let { etag } = now;
  const changes = kind.changes ?? [{ method: 'PATCH' as const, fields: Object.keys(body) }];
  for (const { method, path = '', fields } of changes) {
    if (Object.keys(picked(body, fields)).length === 0) continue;
    const part = picked(method === 'PUT' ? { ...now.live.fields, ...body } : body, fields);
    // biome-ignore lint/performance/noAwaitInLoops: each change has the ETag that the one before left
    await world.target.call(method, live.path + path, { body: part, etag });
    etag = (await readAgain(world, kind, live.path)).etag;
  }
}

async function remove(world: World, step: Extract<Step, { action: 'remove' }>): Promise<void> {
  const { kind } = step;
  const live = await located(world, step);
  const now = await readAgain(world, kind, live.path).catch((error: unknown) => {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  });
  // Someone else has removed it.
  if (!now || (kind.replaced && kind.foreign?.(now.live.record))) return;
  if (!sameState(kind, live, now.live) || !sameState(kind, now.live, live))
    throw new ChangedSince(`${step.key} was changed since the plan was made`);
  if (kind.bound) return bind(world.target, live.path, { before: textsOf(live.fields['purposes']), after: [] });
  await world.target.call('DELETE', live.path, { etag: now.etag });
}

/** Binds a domain to this project environment, after a check of its proof, and takes other bindings away. */
async function bind(
  { call, projectId, environment }: Target,
  path: string,
  { before, after }: { before: string[]; after: string[] },
): Promise<void> {
  const added = after.filter((purpose) => !before.includes(purpose));
  const removed = before.filter((purpose) => !after.includes(purpose));
  if (added.length > 0) await requireVerified(call, path);
  const add = async () => {
    // biome-ignore lint/performance/noAwaitInLoops: at most two
    for (const purpose of added) await call('POST', `${path}/bindings`, { body: { projectId, environment, purpose } });
  };
  const remove = async () => {
    for (const purpose of removed) {
      const query = new URLSearchParams({ projectId, environment, purpose });
      // biome-ignore lint/performance/noAwaitInLoops: at most two
      await call('DELETE', `${path}/bindings?${query}`);
    }
  };
  // A domain is always served meanwhile, except if it becomes, or was, that of a status page, which has no other purpose.
  const steps = [...added, ...removed].includes('status') ? [remove, add] : [add, remove];
  // biome-ignore lint/performance/noAwaitInLoops: one after the other
  for (const step of steps) await step();
}

async function requireVerified(call: Target['call'], path: string): Promise<void> {
  const { body } = await call('GET', path);
  const domain = isValues(body) ? body : {};
  if (domain['status'] === 'verified') return;
  const proof = isValues(domain['verification']) ? domain['verification'] : {};
  try {
    await call('POST', `${path}/verify`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new ChangedSince(
      `${String(domain['host'])} is not verified. Publish the TXT record ${String(proof['name'])} with the value ${String(proof['value'])}, then apply again.`,
    );
  }
}

function textsOf(value: Plain | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
