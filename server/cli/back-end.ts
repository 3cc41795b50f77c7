import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { StartError } from '#platform/start-error.ts';

const Credentials = Type.Object({
  workspaceId: Type.String(),
  projects: Type.Array(Type.Object({ id: Type.String() }), { minItems: 1 }),
  environments: Type.Object({
    test: Type.Object({
      authUrl: Type.String(),
      apiUrl: Type.String(),
      managementClientId: Type.String(),
      managementClientSecret: Type.String(),
    }),
  }),
});

/** Calls the admin API of a test environment as its back end does. */
export type BackEnd = (path: string, body?: Record<string, unknown>) => Promise<Record<string, unknown>>;

/**
 * @param file credentials in the format of `demo.json`
 * @throws StartError with the remedy if there are none
 */
export async function openBackEnd(file: string): Promise<BackEnd> {
  const { workspaceId, projects, environments } = await readCredentials(file);
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = environments.test;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId,
    projectId: projects[0]?.id ?? '',
    environment: 'test',
    client_id: managementClientId,
    client_secret: managementClientSecret,
  });
  let token: unknown = null;
  const send = async (path: string, body?: Record<string, unknown>): Promise<Response> => {
    token ??= (await bodyOf(await fetch(`${authUrl}/connect/token`, { method: 'POST', body: form })))['access_token'];
    const authorization = `Bearer ${String(token)}`;
    if (body === undefined) return fetch(apiUrl + path, { headers: { authorization } });
    const headers = { authorization, 'content-type': 'application/json' };
    return fetch(apiUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  return async (path, body) => {
    const first = await send(path, body);
    if (first.status !== 401) return bodyOf(first);
    // The token has expired, after an hour.
    token = null;
    return bodyOf(await send(path, body));
  };
}

async function readCredentials(file: string) {
  try {
    return Value.Parse(Credentials, JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new StartError(
      `Found no credentials at ${file}. Start Latchkey first, in another terminal (npx latchkey serve), or name a file in the form of demo.json with --credentials.`,
      { cause: error },
    );
  }
}

/** @throws StartError with the detail of the problem document */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = Object(await response.json());
  if (response.ok) return body;
  const [first] = Array.isArray(body['errors']) ? body['errors'] : [];
  const detail = Object(first)['message'] ?? body['detail'] ?? body['error_description'] ?? body['error'];
  throw new StartError(`${response.status}: ${String(detail ?? 'refused')}`);
}
