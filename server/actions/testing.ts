import { type Static, Type } from 'typebox';
import type { Ctx } from '#platform/ctx.ts';
import { limitKey, limits } from '#platform/limits.ts';
import { problemWithRetry } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import type { ActionRow } from './actions.ts';
import { bodyOf, callAction, decisionOf } from './calling.ts';
import { Decision, type Moment, type Person, StatusCode, type Told } from './contract.ts';

export const ActionTest = Type.Object(
  {
    decision: Decision,
    statusCode: StatusCode,
    durationMs: Type.Integer(),
    error: nullable(Type.String()),
    request: Type.Unknown({ description: 'The body that was sent.' }),
    response: Type.Unknown({ description: 'The response; null if the call failed.' }),
  },
  { title: 'ActionTest' },
);

const turns = limits({ 'action-test': { points: 60, seconds: 3_600 } });

const person: Person = {
  id: 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8',
  email: 'ada@example.com',
  emailVerified: true,
  phone: null,
  phoneVerified: false,
  username: null,
  displayName: 'Ada Lovelace',
  locale: 'en',
};

const EXAMPLES: Told = {
  registration: { person: { ...person, id: null, emailVerified: false }, entrance: 'registration' },
  sign_in: {
    person,
    entrance: 'password',
    organizationId: null,
    proof: { amr: ['pwd'], acr: 'aal1', signInMethods: ['password'] },
  },
  token: { person, application: null, organizationId: null },
  password: { identifier: { kind: 'email', value: 'ada@example.com' }, password: 'an example, not a password' },
  message: {
    message: {
      channel: 'email',
      template: 'sign_in_code',
      to: 'ada@example.com',
      subject: 'Your code',
      text: 'Your code is 00000000.',
    },
  },
};

/**
 * Calls an action with an example, whether or not it is enabled. The body says `dryRun`, and nothing follows from the response.
 * @throws Problem RATE_LIMIT_EXCEEDED beyond sixty of an action in an hour
 */
export async function tryAction(ctx: Ctx, action: ActionRow): Promise<Static<typeof ActionTest>> {
  const taken = await turns(ctx.system)['action-test'].take(ctx, limitKey(action.id));
  if (!taken.allowed) throw problemWithRetry('RATE_LIMIT_EXCEEDED', taken.retryAfter);
  return tryMoment(ctx, action, action.moment);
}

async function tryMoment<M extends Moment>(ctx: Ctx, action: ActionRow, moment: M): Promise<Static<typeof ActionTest>> {
  const call = { moment, told: EXAMPLES[moment], dryRun: true };
  const { response, ...called } = await callAction(ctx, action, call);
  return {
    ...called,
    decision: decisionOf({ response }),
    request: bodyOf(ctx, action, call),
    response: response ?? null,
  };
}
