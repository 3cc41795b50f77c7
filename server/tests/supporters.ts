import assert from 'node:assert/strict';
import { ownerToken, register, type TestLatchkey, type TestResponse } from './harness.ts';
import {
  addSupportDesk,
  askToAct,
  memberOf,
  newSupporter,
  type Person,
  REASON,
  redeem,
  TICKET,
} from './impersonation.ts';
import { type Operator, teammate } from './operators.ts';
import { type Application, addApplication, addBackEnd, EXCHANGE, exchange, STOCK } from './token-exchange.ts';

/** A workspace with an application that support uses, and an API that asks whether tokens are valid. */
export type Support = { latchkey: TestLatchkey; desk: Application; api: Application };

export async function supportIn(latchkey: TestLatchkey): Promise<Support> {
  return { latchkey, desk: await addSupportDesk(latchkey), api: await addBackEnd(latchkey, { name: 'Stock' }) };
}

/** A supporter who can impersonate people. */
export type Supporter = {
  id: string;
  /** The application that exchanges the ticket. */
  through: Application;
  ask: (person: { email: string }, more?: Record<string, unknown>) => Promise<TestResponse>;
  /** Proves the session at the token endpoint. */
  actor?: string;
};

export type MemberOfSupport = Supporter & { person: Person };
export type OperatorOfSupport = Supporter & { operator: Operator };

export async function memberWithPermission({ latchkey, desk }: Support): Promise<MemberOfSupport> {
  const person = await newSupporter(latchkey);
  const { access_token: actor, session } = person;
  const ask: Supporter['ask'] = (target, more) => askToAct(latchkey, actor, target, more);
  return { id: session.userId, person, through: desk, actor, ask };
}

export async function operatorOf({ latchkey, desk }: Support, operator: Operator): Promise<OperatorOfSupport> {
  const { body } = await operator.call('/console/v1/session');
  const ask: Supporter['ask'] = async (target, more) =>
    operator.call(`/console/v1/members/${await memberOf(latchkey, target)}/impersonate`, {
      body: { reason: REASON, minutes: 10, clientId: desk.clientId, ...more },
    });
  return { id: body.operator.userId, operator, through: desk, ask };
}

export async function seniorSupport(support: Support): Promise<OperatorOfSupport> {
  return operatorOf(support, await teammate(support.latchkey, 'senior_support'));
}

export async function managementClient(
  { latchkey }: Support,
  permissions = ['members:read', 'members:impersonate'],
): Promise<Supporter> {
  const through = await addApplication(latchkey, {
    kind: 'management',
    name: 'Support robot',
    permissions,
    grants: ['client_credentials', EXCHANGE],
    apis: [{ identifier: STOCK }],
  });
  const { workspaceId, projects } = latchkey.demo;
  const context = { workspaceId, projectId: projects[0]?.id ?? '', environment: 'test' };
  const client = { client_id: through.clientId, client_secret: through.secret };
  const { body, text } = await latchkey.auth('/connect/token', {
    body: new URLSearchParams({ grant_type: 'client_credentials', ...context, ...client }),
  });
  assert.ok(body.access_token, text);
  const ask: Supporter['ask'] = (target, more) =>
    askToAct(latchkey, body.access_token, target, { clientId: through.clientId, ...more });
  return { id: through.id, through, ask };
}

export function exchanged(
  { latchkey }: Support,
  { through, actor }: Pick<Supporter, 'through' | 'actor'>,
  ticket: string,
): Promise<TestResponse> {
  return actor === undefined
    ? exchange(latchkey, through, ticket, { subject_token_type: TICKET })
    : redeem(latchkey, through, { ticket, actor });
}

export async function ticketOf(supporter: Supporter, person: Person): Promise<string> {
  const { status, body, text } = await supporter.ask(person);
  assert.equal(status, 201, text);
  return body.ticket;
}

/** Acts as a new person. */
export async function acting(support: Support, supporter: Supporter): Promise<{ person: Person; token: string }> {
  const person: Person = await register(support.latchkey);
  const { status, body, text } = await exchanged(support, supporter, await ticketOf(supporter, person));
  assert.equal(status, 200, text);
  return { person, token: body.access_token };
}

export async function isActive({ latchkey, api }: Support, token: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`${api.clientId}:${api.secret}`).toString('base64')}`;
  const body = new URLSearchParams({ token });
  const response = await latchkey.auth('/connect/introspect', { body, headers: { authorization } });
  return response.body.active;
}

type ImpersonationEvent = { actor: { kind: string }; data: Record<string, string> };

/** The events `user.impersonation.…` about a person. */
export async function dataOf({ latchkey }: Support, event: string, { session }: Person): Promise<ImpersonationEvent[]> {
  const { rows } = await latchkey.system.pool.query(
    `select actor, data from events where type = $1 and data->>'userId' = $2 order by id`,
    [`user.impersonation.${event}`, session.userId],
  );
  return rows;
}

/** An administrator's call, which must succeed. */
export async function admin(
  { latchkey }: Support,
  path: string,
  call: { method?: string; body?: unknown } = {},
): Promise<TestResponse> {
  const response = await latchkey.api(`/v1/admin/${path}`, { token: await ownerToken(latchkey), ...call });
  assert.ok(response.status < 300, response.text);
  return response;
}
