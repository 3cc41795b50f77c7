import assert from 'node:assert/strict';
import { ownerToken, register, requestManagementToken, type TestLatchkey, type TestResponse } from '#tests/harness.ts';

/** A management client of the demo's first project, with a token. */
export type BackEnd = { id: string; clientId: string; token: string };

/** Adds a management client with exactly these permissions. */
export async function backEnd(latchkey: TestLatchkey, permissions: readonly string[]): Promise<BackEnd> {
  const token = await ownerToken(latchkey);
  const body = { kind: 'management', name: 'Back end', permissions };
  const made = await latchkey.api('/v1/admin/applications', { token, body });
  assert.equal(made.status, 201, made.text);
  const { id, clientId, secret } = made.body;
  return { id, clientId, token: await tokenOf(latchkey, clientId, secret) };
}

/** The management token for a client's secret. */
async function tokenOf(latchkey: TestLatchkey, clientId: string, secret: string): Promise<string> {
  const response = await requestManagementToken(latchkey, { client_id: clientId, client_secret: secret });
  assert.equal(response.status, 200, response.text);
  return response.body.access_token;
}

/** Calls the admin API of the demo's first project. */
export function admin(latchkey: TestLatchkey, token: string) {
  return (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    latchkey.api(`/v1/admin/${path}`, { token, method, ...(body !== undefined && { body }) });
}

/** Registers a user in the second project of the demo's workspace. */
export function registerNextDoor(
  latchkey: TestLatchkey,
  body: Record<string, unknown> = {},
): Promise<TestResponse['body']> {
  const { workspaceId, projects } = latchkey.demo;
  return register(latchkey, { workspaceId, projectId: projects[1]?.id, ...body });
}

/** Signs a user in to the second project of the demo's workspace. */
export function signInNextDoor(latchkey: TestLatchkey, identifier: string, password: string): Promise<TestResponse> {
  const { workspaceId, projects } = latchkey.demo;
  const body = { workspaceId, projectId: projects[1]?.id, identifier, password };
  return latchkey.auth('/v1/auth/login/password', { body });
}
