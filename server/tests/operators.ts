import assert from 'node:assert/strict';
import { addTeamMember, createOperator, type TeamRole, workspaceScope } from '#operators';
import { hashPassword } from '#passwords';
import type { UserId, WorkspaceId } from '#platform/ids.ts';
import { newEmail, PASSWORD, type TestLatchkey, type TestResponse } from './harness.ts';
import { type Browser, browserOf } from './oidc.ts';

type OperatorCall = {
  method?: string;
  body?: unknown;
  /** Replace headers or (undefined) remove them. */
  headers?: Record<string, string | undefined>;
};

/** A signed-in operator, who calls the console API as its page does. */
export type Operator = {
  call: (path: string, call?: OperatorCall) => Promise<TestResponse>;
  cookie: string;
  browser: Browser;
};

type Person = { email: string; password: string };

/**
 * Signs an operator in through the pages, in the demo's workspace, first project and test environment.
 * @param person the demo's operator by default
 */
export async function signInOperator(
  latchkey: TestLatchkey,
  person: Person = latchkey.demo.operator,
  browser = browserOf(latchkey),
): Promise<Operator> {
  const { console } = latchkey.system.config.addresses;
  const page = await browser.open(`${console}/console/v1/sign-in?returnTo=/console/`);
  const there = page.url.startsWith(`${console}/`)
    ? page
    : await browser.submit(page, { identifier: person.email, password: person.password });
  assert.equal(there.url, `${console}/console/`, there.text);
  return operatorOf(latchkey, browser);
}

/** The operator that is signed in in a browser. */
export async function operatorOf(latchkey: TestLatchkey, browser: Browser): Promise<Operator> {
  const { console } = latchkey.system.config.addresses;
  const cookie = [...(browser.cookies.get('/') ?? [])]
    .filter(([name]) => name.startsWith('latchkey-console'))
    .map(([name, value]) => `${name}=${value}`)
    .join('; ');
  const session = await latchkey.console('/console/v1/session', { headers: { cookie } });
  assert.equal(session.status, 200, session.text);
  const usual: Record<string, string | undefined> = {
    cookie,
    origin: console,
    'x-csrf-token': session.body.csrfToken,
    'x-workspace-id': latchkey.demo.workspaceId,
    'x-project-id': latchkey.demo.projects[0]?.id,
    'x-environment': 'test',
  };
  return {
    cookie,
    browser,
    call: (path, { headers, ...call } = {}) =>
      latchkey.console(path, { ...call, headers: sent({ ...usual, ...headers }) }),
  };
}

function sent(headers: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Adds a member to the team of the demo's workspace or another, and signs them in. */
export async function teammate(latchkey: TestLatchkey, role: TeamRole, workspaceId?: WorkspaceId): Promise<Operator> {
  const person = await newOperator(latchkey);
  await latchkey.inProject((tx) =>
    addTeamMember({ ...tx, scope: workspaceScope(workspaceId ?? latchkey.demo.workspaceId) }, person.userId, role),
  );
  return signInOperator(latchkey, person);
}

/** Someone who can sign in to the console but is in no team. */
export async function newOperator(latchkey: TestLatchkey): Promise<Person & { userId: UserId }> {
  const email = newEmail();
  const passwordHash = await hashPassword(latchkey, PASSWORD);
  const userId = await latchkey.inProject((tx) => createOperator(tx, { email, passwordHash }));
  return { email, password: PASSWORD, userId };
}
