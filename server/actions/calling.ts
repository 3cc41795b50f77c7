import { callFault } from '#platform/call-fault.ts';
import type { Ctx } from '#platform/ctx.ts';
import { outbound } from '#platform/fetch.ts';
import { newId } from '#platform/ids.ts';
import { redacted } from '#platform/redaction.ts';
import { liveSecrets, signatures } from '#platform/signing-secrets.ts';
import { type ActionRow, SECRET_PURPOSE } from './actions.ts';
import { type CallId, keepCall } from './calls.ts';
import { type Decision, type Moment, type Responses, responseOf, type Told } from './contract.ts';
import { gateOf } from './gates.ts';
import { callDurations, callsMade } from './metrics.ts';

/** Responses are small; a larger one is a fault. */
const MAX_RESPONSE = 16_384;
/** Responses of a receiver, or of the proxy before it, that could not serve. */
const UNSERVED: readonly number[] = [429, 502, 503, 504];

/** The result of one call. `response` is undefined if it failed. */
export type Called<M extends Moment> = {
  response: Responses[M] | undefined;
  statusCode: number | null;
  error: string | null;
  durationMs: number;
};

type Call<M extends Moment> = { moment: M; told: Told[M]; dryRun?: boolean };

/** The body of a call. */
export function bodyOf<M extends Moment>(ctx: Ctx, action: ActionRow, { moment, told, dryRun = false }: Call<M>) {
  const { ip, userAgent, correlationId } = ctx.trace;
  const request = { ip, userAgent, correlationId };
  return { moment, actionId: action.id, occurredAt: ctx.now.toISOString(), dryRun, ...ctx.scope, request, ...told };
}

/**
 * Calls an action once, and records the call. A failure is part of the result.
 * @param ctx holds no connection: the call may take as long as the action allows
 */
export async function callAction<M extends Moment>(ctx: Ctx, action: ActionRow, call: Call<M>): Promise<Called<M>> {
  const { system } = ctx;
  const at = system.clock.now();
  const id = newId('acl', at);
  const secrets = liveSecrets(system.keyring, action.secrets, {
    purpose: SECRET_PURPOSE,
    recordId: action.id,
    now: at,
  });
  const body = JSON.stringify(bodyOf(ctx, action, call));
  const gate = gateOf(system, action.id);
  const closed = gate.enter(at);
  if (closed !== undefined) {
    callsMade.count(system, { moment: call.moment, result: 'not_called' });
    return { response: undefined, statusCode: null, error: closed, durationMs: 0 };
  }
  const began = performance.now();
  const { served, ...come } = await respond(ctx, action, { id, at, secrets, body, moment: call.moment });
  gate.leave(served, system.clock.now());
  const called = { ...come, durationMs: Math.round(performance.now() - began) };
  const decision = decisionOf(called);
  callsMade.count(system, { moment: call.moment, result: decision });
  callDurations.observe(system, {}, called.durationMs / 1000);
  const { statusCode, error, durationMs } = called;
  await keepCall(ctx, action, { id, dryRun: call.dryRun ?? false, at, durationMs, statusCode, decision, error });
  return called;
}

export function decisionOf<M extends Moment>({ response }: Pick<Called<M>, 'response'>): Decision {
  return response?.decision ?? 'failed';
}

type Outcome<M extends Moment> = Omit<Called<M>, 'durationMs'> & { served: boolean };
type Sent<M extends Moment> = { id: CallId; at: Date; secrets: readonly string[]; body: string; moment: M };

/** Never throws, because its caller has entered a gate. */
async function respond<M extends Moment>(
  { system }: Ctx,
  action: ActionRow,
  { id, at, secrets, body, moment }: Sent<M>,
): Promise<Outcome<M>> {
  const timestamp = Math.floor(at.getTime() / 1000);
  const failed = (error: string, statusCode: number | null = null, served = true) => {
    return { response: undefined, statusCode, error: redacted(error, secrets), served };
  };
  try {
    const received = await outbound(system, action.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Latchkey-Actions/1',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signatures(secrets, { id, timestamp, body }),
      },
      body,
      signal: AbortSignal.timeout(action.timeout_ms),
    });
    const { status } = received;
    if (status !== 200 && status !== 204)
      return failed('expected status 200 or 204', status, !UNSERVED.includes(status));
    const response = responseOf(moment, status === 204 ? { decision: 'allow' } : parsed(await received.text()));
    if (!response) return failed('the response is not a response of this moment', status);
    return {
      response,
      statusCode: status,
      error: response.decision === 'refuse' ? (response.message ?? null) : null,
      served: true,
    };
  } catch (error) {
    return failed(callFault(error), null, false);
  }
}

function parsed(text: string): unknown {
  if (text.length > MAX_RESPONSE) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
