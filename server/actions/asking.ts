import { emit } from '#events';
import { type Ctx, holdingNothing, type Trace, type TxCtx, transaction } from '#platform/ctx.ts';
import { AsksOutside } from '#platform/outside.ts';
import { type Problem, problem, problemWithRetry } from '#platform/problem.ts';
import { type ActionRow, about, enabledActions } from './actions.ts';
import { callAction } from './calling.ts';
import type { Moment, Responses, Told } from './contract.ts';

/** What the actions of a moment say together: all allow it, or the first that does not is the result. */
export type Verdict<M extends Moment> =
  | { kind: 'allowed'; responses: readonly Responses[M][] }
  | { kind: 'refused'; message: string | null }
  | { kind: 'failed' };

/** `key`: what makes the question the same one when the work of a transaction runs again. */
type Question<M extends Moment> = { key: string; told: Told[M] };

/** The verdicts of each request. */
const kept = new WeakMap<Trace, { [M in Moment]: Map<string, Verdict<M>> }>();

function keptOf(trace: Trace) {
  const known = kept.get(trace) ?? {
    registration: new Map(),
    sign_in: new Map(),
    token: new Map(),
    message: new Map(),
    password: new Map(),
  };
  kept.set(trace, known);
  return known;
}

/**
 * Asks the project's actions of a moment, once for each request. Where there is none, it reads and calls nothing. Never
 * calls while a connection is held: the work of a transaction is rolled back and runs again with the verdict
 * (docs/decisions/0245).
 */
export async function ask<M extends Moment>(
  ctx: Ctx | TxCtx,
  moment: M,
  { key, told }: Question<M>,
): Promise<Verdict<M>> {
  const actions = (await enabledActions(ctx.system, ctx.scope)).filter((action) => action.moment === moment);
  if (actions.length === 0) return { kind: 'allowed', responses: [] };
  const verdicts: Map<string, Verdict<M>> = keptOf(ctx.trace)[moment];
  const { scope } = ctx;
  const asked = `${scope.projectId} ${key}`;
  const known = verdicts.get(asked);
  if (known) return known;
  const call = async (outside: Ctx) => {
    const verdict = await callAll({ ...outside, scope }, actions, { moment, told });
    verdicts.set(asked, verdict);
    return verdict;
  };
  if (!ctx.afterCommit) return call(await holdingNothing(ctx));
  throw new AsksOutside(async (outside) => {
    await call(outside);
  });
}

type Asked<M extends Moment> = {
  moment: M;
  told: Told[M];
  /** What the next action is told, after the response of the one before. */
  next?: (told: Told[M], response: Responses[M]) => Told[M];
};

/** Calls actions one after the other, until one does not allow it. */
export async function callAll<M extends Moment>(
  ctx: Ctx,
  actions: readonly ActionRow[],
  { moment, told: first, next = (told) => told }: Asked<M>,
): Promise<Verdict<M>> {
  const responses: Responses[M][] = [];
  let told = first;
  for (const action of actions) {
    // biome-ignore lint/performance/noAwaitInLoops: an action is called only if those before it allow it
    const { response } = await callAction(ctx, action, { moment, told });
    if (response === undefined && action.on_failure === 'refuse') return { kind: 'failed' };
    if (response?.decision === 'refuse') {
      // A wrong password is a failed sign-in, which has an event of its own.
      if (moment !== 'password') await noteRefusal(ctx, action, told);
      return { kind: 'refused', message: response.message ?? null };
    }
    if (response === undefined) continue;
    responses.push(response);
    told = next(told, response);
  }
  return { kind: 'allowed', responses };
}

/** The transaction of the sign-in is rolled back, so the event has one of its own. */
async function noteRefusal(ctx: Ctx, action: ActionRow, told: Told[Moment]): Promise<void> {
  const userId = 'person' in told ? (told.person?.id ?? null) : null;
  await transaction(ctx, (tx) => emit(tx, 'action.refused', { ...about(action), userId }));
}

/** The problem for a verdict that does not allow it. A failure may be over soon. */
export function refusalOf(verdict: { kind: 'refused'; message: string | null } | { kind: 'failed' }): Problem {
  if (verdict.kind === 'failed') return problemWithRetry('SERVICE_UNAVAILABLE', 5);
  return verdict.message === null ? problem('REFUSED_BY_ACTION') : problem('REFUSED_BY_ACTION', verdict.message);
}
