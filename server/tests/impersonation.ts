import assert from 'node:assert/strict';
import { managementToken, ownerToken, register, type TestLatchkey, type TestResponse } from './harness.ts';
import { ACCESS_TOKEN, type Application, addApis, addBackEnd, exchange } from './token-exchange.ts';

export const TICKET = 'urn:latchkey:params:oauth:token-type:impersonation-ticket';

export const REASON = 'Ticket 4711: the invoice does not load';

export type Person = TestResponse['body'] & { email: string };

/** Adds APIs, the application that support uses, and a role that allows to act as members. */
export async function addSupportDesk(latchkey: TestLatchkey): Promise<Application> {
  await addApis(latchkey);
  const role = { key: 'supporter', name: 'Supporter', permissions: ['members:read', 'members:impersonate'] };
  const { status, text } = await latchkey.api('/v1/admin/roles', { token: await ownerToken(latchkey), body: role });
  assert.equal(status, 201, text);
  return addBackEnd(latchkey, { name: 'Support desk' });
}

export async function memberOf(latchkey: TestLatchkey, { email }: { email: string }): Promise<string> {
  const { body } = await latchkey.api(`/v1/admin/members?q=${email}`, { token: await managementToken(latchkey) });
  return body.items[0].id;
}

export async function giveRoles(latchkey: TestLatchkey, person: { email: string }, ...roles: string[]): Promise<void> {
  const path = `/v1/admin/members/${await memberOf(latchkey, person)}/roles`;
  const response = await latchkey.api(path, { token: await ownerToken(latchkey), method: 'PUT', body: { roles } });
  assert.equal(response.status, 200, response.text);
}

export async function newSupporter(latchkey: TestLatchkey, profile: Record<string, unknown> = {}): Promise<Person> {
  const supporter = await register(latchkey, { profile });
  await giveRoles(latchkey, supporter, 'supporter');
  return supporter;
}

/** Asks for a ticket to act as a person. */
export const askToAct = async (
  latchkey: TestLatchkey,
  token: string,
  person: { email: string },
  more: Record<string, unknown> = {},
): Promise<TestResponse> =>
  latchkey.api(`/v1/admin/members/${await memberOf(latchkey, person)}/impersonate`, {
    token,
    body: { reason: REASON, minutes: 10, ...more },
  });

export const redeem = (
  latchkey: TestLatchkey,
  desk: Application,
  { ticket, actor }: { ticket: string; actor: string | undefined },
) =>
  exchange(latchkey, desk, ticket, { subject_token_type: TICKET, actor_token: actor, actor_token_type: ACCESS_TOKEN });

/**
 * Lets a supporter act as a person.
 * @returns the token of the person for an API
 */
export async function actAs(
  latchkey: TestLatchkey,
  desk: Application,
  { supporter, person, reason = REASON }: { supporter: Person; person: { email: string }; reason?: string },
): Promise<string> {
  const asked = await askToAct(latchkey, supporter.access_token, person, { reason });
  assert.equal(asked.status, 201, asked.text);
  const { status, body, text } = await redeem(latchkey, desk, {
    ticket: asked.body.ticket,
    actor: supporter.access_token,
  });
  assert.equal(status, 200, text);
  return body.access_token;
}
