import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { refusalOf, type Target } from '#configuration';
import type { Values } from '#platform/config-reader.ts';
import { StartError } from '#platform/start-error.ts';

/** How a project environment is reached. */
export type Access = {
  issuer: string;
  api: string;
  clientId: string;
  clientSecret: string;
  workspaceId: string;
  projectId: string;
  environment: string;
};

const Environments = Type.Record(
  Type.String(),
  Type.Object({
    authUrl: Type.String(),
    apiUrl: Type.String(),
    managementClientId: Type.String(),
    managementClientSecret: Type.String(),
  }),
);
const Credentials = Type.Object({
  workspaceId: Type.String(),
  projects: Type.Array(Type.Object({ id: Type.String() }), { minItems: 1 }),
  environments: Environments,
});

const VARIABLES: Readonly<Record<keyof Access, string>> = {
  issuer: 'LATCHKEY_ISSUER',
  api: 'LATCHKEY_API',
  clientId: 'LATCHKEY_CLIENT_ID',
  clientSecret: 'LATCHKEY_CLIENT_SECRET',
  workspaceId: 'LATCHKEY_WORKSPACE',
  projectId: 'LATCHKEY_PROJECT',
  environment: 'LATCHKEY_ENVIRONMENT',
};
const MAX_TRIES = 5;
const TIMEOUT_MS = 60_000;

/**
 * From environment variables, or from a file in the form of `demo.json`.
 * @throws StartError
 */
export async function accessFrom(
  environment: Values,
  options: { credentials?: string; environment?: string },
): Promise<Access> {
  if (options.credentials !== undefined) return accessInFile(options.credentials, options.environment ?? 'test');
  const value = (name: keyof Access) => environment[VARIABLES[name]]?.trim() ?? '';
  const named: Values = {
    ...environment,
    LATCHKEY_ENVIRONMENT: options.environment ?? environment['LATCHKEY_ENVIRONMENT'],
  };
  const missing = Object.values(VARIABLES).filter((name) => !named[name]?.trim());
  if (missing.length > 0)
    throw new StartError(
      `Set ${missing.join(', ')}: the addresses, a management client and its project. Or name a file in the form of demo.json with --credentials.`,
    );
  return {
    issuer: value('issuer'),
    api: value('api'),
    clientId: value('clientId'),
    clientSecret: value('clientSecret'),
    workspaceId: value('workspaceId'),
    projectId: value('projectId'),
    environment: environmentNamed(named['LATCHKEY_ENVIRONMENT'] ?? ''),
  };
}

function environmentNamed(name: string): string {
  const known = name === 'prod' ? 'production' : name;
  if (known === 'test' || known === 'production') return known;
  throw new StartError(`There is no environment "${name}"; expected test or production.`);
}

async function accessInFile(file: string, name: string): Promise<Access> {
  const environment = environmentNamed(name);
  const read = async () => Value.Parse(Credentials, JSON.parse(await readFile(file, 'utf8')));
  const { workspaceId, projects, environments } = await read().catch((error: unknown) => {
    throw new StartError(`${file} is no file in the form of demo.json.`, { cause: error });
  });
  const found = environments[environment];
  if (!found) throw new StartError(`${file} has no environment "${environment}".`);
  return {
    issuer: found.authUrl,
    api: found.apiUrl,
    clientId: found.managementClientId,
    clientSecret: found.managementClientSecret,
    workspaceId,
    projectId: projects[0]?.id ?? '',
    environment,
  };
}

/** The project environment, as the management client sees it. */
export function targetFor(access: Access): Target {
  const { workspaceId, projectId, environment, clientId } = access;
  return { workspaceId, projectId, environment, clientId, call: callerFor(access) };
}

/** Calls the admin API with a management token, which is renewed when it ends; waits where the API limits calls. */
function callerFor(access: Access): Target['call'] {
  const base = access.api.replace(/\/$/, '');
  let token: string | null = null;
  return async (method, path, sent = {}) => {
    for (let tries = 1; ; tries += 1) {
      // biome-ignore lint/performance/noAwaitInLoops: a call is tried again only after it failed
      token ??= await tokenFor(access);
      const response = await send(base + path, requestOf(method, token, sent));
      if (response.ok) return { body: await parsed(response), etag: response.headers.get('etag') };
      const seconds = pauseAfter(response, tries);
      if (seconds === null) throw await refusedBy(response, `${method} ${path}`);
      if (response.status === 401) token = null;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  };
}

function requestOf(
  method: string,
  token: string,
  { body, etag }: NonNullable<Parameters<Target['call']>[2]>,
): RequestInit {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(typeof etag === 'string' && { 'if-match': etag }),
  };
  return { method, headers, body: body === undefined ? null : JSON.stringify(body) };
}

/** The seconds before another try; null if the call fails. */
function pauseAfter({ status, headers }: Response, tries: number): number | null {
  if (status === 401) return tries === 1 ? 0 : null;
  if ((status !== 429 && status !== 503) || tries >= MAX_TRIES) return null;
  return Math.min(60, Number(headers.get('retry-after') ?? 1) || 1);
}

/** @throws StartError for an address that does not respond */
async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const cause = Object(Object(error).cause);
    throw new StartError(`${new URL(url).origin} does not respond (${String(cause.code ?? Object(error).name)}).`, {
      cause: error,
    });
  }
}

async function tokenFor(access: Access): Promise<string> {
  if (!URL.canParse(access.issuer) || !URL.canParse(access.api))
    throw new StartError('LATCHKEY_ISSUER and LATCHKEY_API must be addresses such as https://auth.example.com.');
  const response = await send(`${access.issuer.replace(/\/$/, '')}/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: access.clientId,
      client_secret: access.clientSecret,
      workspaceId: access.workspaceId,
      projectId: access.projectId,
      environment: access.environment,
    }),
  });
  const body = Object(await parsed(response));
  if (response.ok) return String(body['access_token']);
  throw new StartError(
    `The client got no management token (${String(body['error_description'] ?? body['error'] ?? response.status)}).`,
  );
}

async function parsed(response: Response) {
  const text = await response.text();
  try {
    return text === '' ? null : JSON.parse(text);
  } catch (error) {
    throw new StartError(`${new URL(response.url).origin} is not the admin API: it sent no JSON.`, { cause: error });
  }
}

async function refusedBy(response: Response, operation: string) {
  return refusalOf(operation, response.status, Object(await parsed(response).catch(() => ({}))));
}
