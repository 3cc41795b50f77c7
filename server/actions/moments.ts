import { randomUUID } from 'node:crypto';
import { isBeingCreated, usersById } from '#people';
import { type Ctx, systemCtx, type TxCtx } from '#platform/ctx.ts';
import type { OrganizationId, UserId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { enabledActions } from './actions.ts';
import { ask, callAll, refusalOf, type Verdict } from './asking.ts';
import { type Claims, MAX_CLAIM_BYTES, type Person, type Responses, type Told } from './contract.ts';

const NOBODY: Person = {
  id: null,
  email: null,
  emailVerified: false,
  phone: null,
  phoneVerified: false,
  username: null,
  displayName: null,
  locale: null,
};

/** A person who is signing in. Without an id while the account may still be rolled back. */
async function personOf(ctx: Ctx | TxCtx, userId: UserId): Promise<Person> {
  const known = (await usersById(ctx, [userId])).get(userId);
  if (!known) return NOBODY;
  const { userId: _id, ...person } = known;
  return { id: isBeingCreated(ctx, userId) ? null : userId, ...person };
}

/** What identifies a person when a transaction runs again: a new account has another id then. */
function keyOf({ id, email, phone }: Person): string {
  return email ?? phone ?? id ?? '';
}

type Entering = Omit<Told['sign_in'], 'person'> & { userId: UserId };

/** Asks whether a person may enter, who has proven everything; and before that, whether a new person may register. */
export async function askToEnter(
  ctx: Ctx | TxCtx,
  { userId, ...entering }: Entering,
): Promise<Verdict<'registration' | 'sign_in'>> {
  const actions = await enabledActions(ctx.system, ctx.scope);
  if (!actions.some(({ moment }) => moment === 'registration' || moment === 'sign_in'))
    return { kind: 'allowed', responses: [] };
  const person = await personOf(ctx, userId);
  const { entrance, organizationId } = entering;
  const key = keyOf(person);
  if (person.id === null) {
    const verdict = await ask(ctx, 'registration', { key, told: { person, entrance } });
    if (verdict.kind !== 'allowed') return verdict;
  }
  return ask(ctx, 'sign_in', { key: `${entrance} ${key} ${organizationId}`, told: { person, ...entering } });
}

type Registering = {
  entrance: 'registration' | 'password';
  address: { kind: 'email' | 'phone'; value: string; verified: boolean };
  profile: { displayName?: string | null; locale?: string | null };
};

/**
 * Asks whether a person may get an account, before it is created. One whose address is proven later is asked about again
 * when the account is created.
 * @throws Problem REFUSED_BY_ACTION, SERVICE_UNAVAILABLE
 */
export async function requireMayRegister(ctx: Ctx, { entrance, address, profile }: Registering): Promise<void> {
  const { kind, value, verified } = address;
  const { displayName = null, locale = null } = profile;
  const proven =
    kind === 'email' ? { email: value, emailVerified: verified } : { phone: value, phoneVerified: verified };
  const person = { ...NOBODY, ...proven, displayName, locale };
  const verdict = await ask(ctx, 'registration', { key: keyOf(person), told: { person, entrance } });
  if (verdict.kind !== 'allowed') throw refusalOf(verdict);
}

type Subject = {
  /** Null for the token of an application itself. */
  userId: UserId | null;
  organizationId: OrganizationId | null;
  application: Told['token']['application'];
};

/** Whether the project has actions that are asked for the claims of tokens. */
export async function hasClaimActions({ system, scope }: Pick<Ctx | TxCtx, 'system' | 'scope'>): Promise<boolean> {
  return (await enabledActions(system, scope)).some(({ moment }) => moment === 'token');
}

/**
 * The claims that the actions of the project add to a token. A later action overrides an earlier one.
 * @throws Problem SERVICE_UNAVAILABLE if an action fails that refuses then
 */
export async function claimsOfActions(
  ctx: Ctx | TxCtx,
  { userId, organizationId, application }: Subject,
): Promise<Claims> {
  if (!(await hasClaimActions(ctx))) return {};
  const person = userId === null ? null : await personOf(ctx, userId);
  const verdict = await ask(ctx, 'token', {
    key: [person && keyOf(person), application?.id, organizationId].join(' '),
    told: { person, application, organizationId },
  });
  if (verdict.kind !== 'allowed') throw refusalOf(verdict);
  return merged(verdict.responses);
}

/** Together the claims stay as small as those of one action. Those of the first actions go first. */
function merged(responses: readonly Responses['token'][]): Claims {
  let claims: Claims = {};
  for (const { claims: more } of responses) {
    const next = { ...claims, ...more };
    if (Buffer.byteLength(JSON.stringify(next)) <= MAX_CLAIM_BYTES) claims = next;
  }
  return claims;
}

type Message = Told['message']['message'];
type Sent = Pick<Message, 'subject' | 'text'>;

/**
 * Asks about a message before it is sent.
 * @returns what to send; null to send nothing
 * @throws Problem SERVICE_UNAVAILABLE if an action fails that refuses then, so that the message is sent later
 */
export async function reviewMessage(
  system: System,
  scope: Ctx['scope'],
  { id, ...message }: Message & { id: string },
): Promise<Sent | null> {
  const actions = (await enabledActions(system, scope)).filter(({ moment }) => moment === 'message');
  if (actions.length === 0) return message;
  let sent: Sent = message;
  const verdict = await callAll(systemCtx(system, scope, 'actions', id), actions, {
    moment: 'message',
    told: { message },
    next: (told, response) => {
      if (response.decision === 'allow')
        sent = { subject: response.subject ?? sent.subject, text: response.text ?? sent.text };
      return { message: { ...told.message, ...sent } };
    },
  });
  if (verdict.kind === 'failed') throw refusalOf(verdict);
  return verdict.kind === 'refused' ? null : sent;
}

type Asked = Told['password'];

/**
 * Asks the system that people come from whether a password is right.
 * @param asked null for a person whose password is known here: then a call with an address and a password that nobody has
 * takes the time of one, so that response times do not show who has moved
 * @returns undefined if it is not, or there is nobody to ask
 * @throws Problem SERVICE_UNAVAILABLE if the call fails, and the action refuses then
 */
export async function askForPassword(ctx: Ctx, asked: Asked | null): Promise<Moved | undefined> {
  const told = asked ?? decoy();
  const verdict = await ask(ctx, 'password', { key: JSON.stringify(told.identifier), told });
  if (verdict.kind === 'failed') throw refusalOf(verdict);
  const [response] = verdict.kind === 'allowed' ? verdict.responses : [];
  return asked && response?.decision === 'allow' ? response : undefined;
}

function decoy(): Asked {
  return { identifier: { kind: 'email', value: `${randomUUID()}@nobody.invalid` }, password: randomUUID() };
}

/** A person whose password the other system accepted. */
type Moved = Extract<Responses['password'], { decision: 'allow' }>;
