import assert from 'node:assert/strict';
import { managementToken, type TestLatchkey, type TestResponse } from './harness.ts';

export const SCIM_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The directory of a new organization, with the token of an administrator beside it. */
export type TestDirectory = {
  organizationId: string;
  token: string;
  admin: (path: string, options?: { method?: string; body?: unknown }) => Promise<TestResponse>;
  scim: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<TestResponse>;
  addUser: (userName: string, attributes?: Record<string, unknown>) => Promise<string>;
  addGroup: (displayName: string, memberIds?: readonly string[]) => Promise<string>;
  patch: (path: string, ...operations: readonly unknown[]) => Promise<TestResponse>;
};

/** Adds an organization and issues a SCIM token for it. */
export async function newDirectory(latchkey: TestLatchkey): Promise<TestDirectory> {
  const management = await managementToken(latchkey);
  const admin: TestDirectory['admin'] = (path, options = {}) =>
    latchkey.api(`/v1/admin/${path}`, { token: management, ...options });
  const { id: organizationId } = (await admin('organizations', { body: { name: 'Acme' } })).body;
  const issued = await admin(`organizations/${organizationId}/scim/tokens`, { body: { name: 'Entra ID' } });
  assert.equal(issued.status, 201, issued.text);
  const { token } = issued.body;
  const scim: TestDirectory['scim'] = (method, path, body, headers = {}) =>
    latchkey.api(`/scim/v2${path}`, { token, method, headers, ...(body !== undefined && { body }) });
  const created = async (path: string, body: unknown) => {
    const response = await scim('POST', path, body);
    assert.equal(response.status, 201, response.text);
    return response.body.id;
  };
  return {
    organizationId,
    token,
    admin,
    scim,
    addUser: (userName, attributes = {}) => created('/Users', { schemas: [SCIM_USER], userName, ...attributes }),
    addGroup: (displayName, memberIds = []) =>
      created('/Groups', { schemas: [GROUP], displayName, members: memberIds.map((value) => ({ value })) }),
    patch: (path, ...operations) => scim('PATCH', path, { schemas: [PATCH], Operations: operations }),
  };
}

/** Expects a refusal in the format of RFC 7644 §3.12. */
export function expectRefusal(response: TestResponse, status: number, scimType?: string): void {
  assert.equal(response.status, status, response.text);
  assert.equal(response.headers.get('content-type'), 'application/scim+json');
  assert.equal(response.body.status, String(status));
  assert.equal(response.body.scimType, scimType, response.text);
}
