import { type Static, Type } from 'typebox';
import { type ConnectionRef, connectionToTest, enableForTest } from '#connections';
import { findLinkedUser } from '#linked-identities';
import { accessOf } from '#members';
import { rolesInOrganization } from '#organizations';
import { usersById } from '#people';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { Problem } from '#platform/problem.ts';
import { nullable } from '#platform/schemas.ts';
import { CHECKS, SamlFault } from '#saml';
import { Passage } from '#ways';
import { type ConnectedPerson, enterConnected, personOf } from './connected-people.ts';
import type { Asserted } from './connection-kinds.ts';

const text = nullable(Type.String());

/** What came back from a test sign-in, and what it would have done. */
export const TestOutcome = Type.Object(
  {
    result: Type.Enum(['signs_in', 'links', 'creates', 'asks_for_proof', 'refused'], {
      description:
        'What a sign-in would do with the connection enabled: sign in to the account that is linked, link an account that has the address, create one, ask for a proof of the account that has the address, or nothing.',
    }),
    because: nullable(
      Type.String({ description: 'For `refused`: the code of the problem, or the failed SAML check.' }),
    ),
    check: nullable(Type.Enum([...CHECKS], { description: 'The check of the SAML response that failed.' })),
    detail: nullable(Type.String({ description: 'Why it would be refused.' })),
    subject: text,
    attributes: Type.Record(Type.String(), Type.Array(Type.String()), {
      description: 'As the identity provider sent them; an attribute that is no text is JSON.',
    }),
    mapped: Type.Object(
      {
        email: text,
        emailVerified: nullable(Type.Boolean()),
        displayName: text,
        givenName: text,
        familyName: text,
        groups: Type.Array(Type.String()),
      },
      { description: 'What the attribute mapping of the connection makes of them.' },
    ),
    userId: nullable(IdSchema('usr')),
    roles: Type.Array(Type.String(), { description: 'The roles in the organization after the sign-in.' }),
    secondFactor: Type.Boolean({ description: 'A second factor would be asked for.' }),
  },
  { title: 'ConnectionTestOutcome' },
);
export type TestOutcome = Static<typeof TestOutcome>;

const NOTHING = {
  because: null,
  check: null,
  detail: null,
  subject: null,
  attributes: {},
  mapped: { email: null, emailVerified: null, displayName: null, givenName: null, familyName: null, groups: [] },
  userId: null,
  roles: [],
  secondFactor: false,
} satisfies Partial<TestOutcome>;

/** The outcome of a test sign-in that brought back nothing that is accepted. */
export function refusedOutcome(fault: unknown): TestOutcome {
  const check = fault instanceof SamlFault ? fault.check : null;
  const detail = (fault instanceof Error ? fault.message : String(fault)).slice(0, 1_000);
  return { ...NOTHING, result: 'refused', because: check ?? 'INVALID_TOKEN', check, detail };
}

/** What a sign-in with these attributes would do: it is done, with every check, and undone. */
export async function outcomeOf(ctx: Ctx, ref: ConnectionRef, asserted: Asserted): Promise<TestOutcome> {
  const person = personOf(await connectionToTest(ctx, ref), asserted);
  const { subject, name: displayName, ...fields } = person;
  const { email, emailVerified, givenName, familyName, groups } = fields;
  const told = {
    ...NOTHING,
    subject,
    attributes: asserted.received,
    mapped: { email, emailVerified, displayName, givenName, familyName, groups },
  };
  try {
    const { linked, userId, ...entered } = await undone(ctx, (tx) => enter(tx, ref, person));
    if (userId === null) return { ...told, ...entered, result: 'asks_for_proof' };
    if (linked) return { ...told, ...entered, result: 'signs_in', userId };
    const exists = (await usersById(ctx, [userId])).has(userId);
    return exists
      ? { ...told, ...entered, result: 'links', userId }
      : { ...told, ...entered, result: 'creates', userId: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { ...told, result: 'refused', because: error.code, detail: error.message };
  }
}

/** Signs in through a connection as if it were enabled. The caller undoes it. */
async function enter(tx: TxCtx, ref: ConnectionRef, person: ConnectedPerson) {
  const way = new Passage(tx, 'test_sign_in');
  const connection = way.passed('connection', await enableForTest(tx, ref));
  way.passed('credential', person);
  const identity = { issuer: connection.issuer, subject: person.subject };
  const linked = (await findLinkedUser(tx, identity)) !== undefined;
  const result = await enterConnected(
    tx,
    { connection, shared: false, person, samlLogin: null },
    { way, deviceToken: undefined },
  );
  const userId = (await findLinkedUser(tx, identity)) ?? null;
  const { memberId } = userId === null ? { memberId: null } : await accessOf(tx, userId);
  const { organizationId } = ref;
  const roles = memberId && (await rolesInOrganization(tx, { organizationId, memberId }));
  return { linked, userId, roles: roles || [], secondFactor: 'challenge' in result };
}

/** Does something in a transaction that is rolled back. */
async function undone<Result>(ctx: Ctx, work: (tx: TxCtx) => Promise<Result>): Promise<Result> {
  let done: { result: Result } | undefined;
  const undo = new Error('undone');
  try {
    await transaction(ctx, async (tx) => {
      done = { result: await work(tx) };
      throw undo;
    });
  } catch (error) {
    if (error === undo && done) return done.result;
    throw error;
  }
  throw new Error('unreachable: the transaction is always undone');
}
