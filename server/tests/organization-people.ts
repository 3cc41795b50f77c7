import assert from 'node:assert/strict';
import { type Company, newCompany, signInThrough } from './connections.ts';
import { managementToken, PASSWORD, prove, register, type TestLatchkey, type TestResponse } from './harness.ts';
import type { Issuer } from './issuer.ts';

type Call = { method?: string; body?: unknown };

/** People of companies, who sign in through the connections of these or by themselves. */
export function companyPeople(running: () => { latchkey: TestLatchkey; upstream: Issuer }) {
  const me = (path: string, token: string, call: Call = {}): Promise<TestResponse> =>
    running().latchkey.api(`/v1/me${path}`, { token, ...call });
  const admin = async (path: string, call: Call = {}): Promise<TestResponse> => {
    const { latchkey } = running();
    return latchkey.api(`/v1/admin${path}`, { token: await managementToken(latchkey), ...call });
  };

  async function openCompany(): Promise<Company> {
    const { latchkey, upstream } = running();
    const company = await newCompany(latchkey, { issuer: upstream.issuer });
    await company.change({ status: 'enabled', justInTime: true });
    return company;
  }

  const visit = ({ connectionId }: Company, claims: Issuer['claims']): Promise<TestResponse> =>
    signInThrough(running().latchkey, running().upstream, { connectionId, claims });

  async function login(email: string): Promise<TestResponse['body']> {
    const body = { identifier: email, password: PASSWORD };
    const response = await running().latchkey.auth('/v1/auth/login/password', { body });
    return response.body;
  }

  async function memberOf(email: string): Promise<string> {
    const { body, text } = await admin(`/members?q=${encodeURIComponent(email)}`);
    assert.ok(body.items[0], text);
    return body.items[0].id;
  }

  async function join(company: Company, email: string): Promise<void> {
    const { status, text } = await company.call('/members', 'POST', { memberId: await memberOf(email) });
    assert.equal(status, 201, text);
  }

  /** Replaces the roles of a person in the project. */
  async function giveRoles(email: string, roles: readonly string[]): Promise<void> {
    const given = await admin(`/members/${await memberOf(email)}/roles`, { method: 'PUT', body: { roles } });
    assert.equal(given.status, 200, given.text);
  }

  /** A person with a password whose account a company’s connection joined. */
  async function newJoined() {
    const { latchkey } = running();
    const company = await openCompany();
    const claims = { sub: crypto.randomUUID(), email: company.newEmail() };
    const person = await prove(latchkey, await register(latchkey, { email: claims.email }));
    const { body, text } = await visit(company, claims);
    assert.equal(body.session?.userId, person.session.userId, text);
    const { session, access_token: token, refresh_token: refreshToken } = body;
    return { company, claims, email: claims.email, userId: session.userId, token, refreshToken };
  }

  /** {@link newJoined}, who is in another organization, too. */
  async function newGuest() {
    const [other, joined] = [await openCompany(), await newJoined()];
    await join(other, joined.email);
    return { ...joined, other };
  }

  /** A person whom the connection of a company made a member, and who is nowhere else. */
  async function newEmployee() {
    const company = await openCompany();
    const claims = { sub: crypto.randomUUID(), email: company.newEmail() };
    const { body, text } = await visit(company, claims);
    assert.equal(body.session?.organizationId, company.organizationId, text);
    return { company, claims, email: claims.email, userId: body.session.userId, token: body.access_token };
  }

  return { me, admin, openCompany, visit, login, memberOf, join, giveRoles, newJoined, newGuest, newEmployee };
}
