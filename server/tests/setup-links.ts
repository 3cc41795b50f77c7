import assert from 'node:assert/strict';
import { ownerToken, type TestLatchkey, type TestResponse } from './harness.ts';
import { type Browser, browserOf } from './oidc.ts';

const ALL = ['domains', 'connection', 'directory', 'policies', 'team'];

/** An organization, and what its administrator may do. */
export async function newCustomer(latchkey: TestLatchkey, name = 'Acme') {
  const token = await ownerToken(latchkey);
  const call = (path: string, method = 'GET', body?: unknown): Promise<TestResponse> =>
    latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });
  const { body } = await call('organizations', 'POST', { name });
  const organizationId = String(body.id);
  const admin = (below: string, method = 'GET', sent?: unknown) =>
    call(`organizations/${organizationId}${below}`, method, sent);
  return {
    organizationId,
    call,
    admin,
    makeLink: (link: object = {}) => admin('/setup-links', 'POST', { tasks: ALL, ...link }),
  };
}
export type Customer = Awaited<ReturnType<typeof newCustomer>>;

/** Makes a link and opens it in a browser. */
export async function openLink(latchkey: TestLatchkey, customer: Customer, link: object = {}) {
  const made = await customer.makeLink(link);
  assert.equal(made.status, 201, made.text);
  const browser = browserOf(latchkey);
  const overview = await opened(browser, made.body.url);
  const { auth } = latchkey.system.config.addresses.test;
  return {
    made: made.body,
    browser,
    overview,
    page: (path = '') => browser.open(`${auth}/setup${path}`),
    /** Opens a page and submits one of its forms. */
    send: async (path: string, fields: Record<string, string>, form = path) =>
      browser.submit(await browser.open(`${auth}/setup${path}`), fields, form),
  };
}

export async function opened(browser: Browser, url: string) {
  const question = await browser.open(url);
  assert.equal(question.status, 200, question.text);
  return browser.submit(question, {}, '/setup/open');
}
