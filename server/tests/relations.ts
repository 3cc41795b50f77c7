import assert from 'node:assert/strict';
import { ownerToken, register, type TestLatchkey, type TestResponse } from './harness.ts';

/** A project with documents in folders, and people who use them. */
export type Drive = {
  token: string;
  call: (path: string, method?: string, body?: unknown, as?: string) => Promise<TestResponse>;
  check: (userId: string, resource?: string, more?: Record<string, unknown>) => Promise<TestResponse['body']>;
  write: (...relations: [resource: string, relation: string, subject: string][]) => Promise<TestResponse>;
  remove: (...relations: [resource: string, relation: string, subject: string][]) => Promise<TestResponse>;
  person: () => Promise<DrivePerson>;
  organization: (members?: Record<string, string[]>) => Promise<string>;
};
type DrivePerson = { userId: string; memberId: string; token: string; subject: string };

const PATH = '/v1/admin/authorization';

const FOLDER = {
  key: 'folder',
  name: 'Folder',
  relations: [
    { key: 'owner', permissions: ['documents:read', 'documents:write'] },
    { key: 'viewer', permissions: ['documents:read'] },
  ],
};
const DOCUMENT = {
  key: 'document',
  name: 'Document',
  relations: [
    { key: 'editor', permissions: ['documents:read', 'documents:write'] },
    { key: 'viewer', permissions: ['documents:read'] },
  ],
  parents: [{ type: 'folder', inherits: { owner: 'editor', viewer: 'viewer' } }],
};

/** Sets the types up in the project of the token. */
export async function startDrive(latchkey: TestLatchkey, by?: string): Promise<Drive> {
  const token = by ?? (await ownerToken(latchkey));
  const correlationId = crypto.randomUUID();
  const call: Drive['call'] = (path, method = 'GET', body, as = token) =>
    latchkey.api(path.startsWith('/v1') ? path : `${PATH}${path}`, {
      token: as,
      method,
      // A change that was made already is not told again, so repeated changes share the event of the first.
      ...(path === '/relations' && { headers: { 'x-correlation-id': correlationId } }),
      ...(body !== undefined && { body }),
    });
  const made = async (path: string, method: string, body: unknown) => {
    const response = await call(path, method, body);
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  for (const key of ['documents:read', 'documents:write']) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await made('/v1/admin/permissions', 'POST', { key, description: key });
  }
  await made('/v1/admin/organization-roles', 'POST', {
    key: 'reader',
    name: 'Reader',
    permissions: ['documents:read'],
  });
  await made('/types', 'POST', FOLDER);
  // A folder may be in a folder.
  await made('/types/folder', 'PATCH', {
    parents: [{ type: 'folder', inherits: { owner: 'owner', viewer: 'viewer' } }],
  });
  await made('/types', 'POST', DOCUMENT);
  const change =
    (kind: string): Drive['write'] =>
    (...relations) =>
      call('/relations', 'POST', {
        [kind]: relations.map(([resource, relation, subject]) => ({ resource, relation, subject })),
      });
  return {
    token,
    call,
    check: async (userId, resource, more = {}) => {
      const body = { userId, permission: 'documents:read', ...(resource !== undefined && { resource }), ...more };
      return (await call('/check', 'POST', body)).body;
    },
    write: change('write'),
    remove: change('delete'),
    person: async () => {
      const { access_token, email } = await register(latchkey);
      const { body } = await call(`/v1/admin/members?q=${encodeURIComponent(email)}`);
      const [{ id: memberId, userId }] = body.items;
      return { userId, memberId, token: access_token, subject: `user:${userId}` };
    },
    organization: async (members = {}) => {
      const { id } = await made('/v1/admin/organizations', 'POST', { name: 'Acme' });
      for (const [memberId, roles] of Object.entries(members)) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        await made(`/v1/admin/organizations/${id}/members`, 'POST', { memberId, roles });
      }
      return id;
    },
  };
}
