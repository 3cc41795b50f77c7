import { type Demo, Refused } from './demo.ts';

/** What a template needs at Latchkey. */
export type Wanted = {
  kind: 'spa' | 'web' | 'native';
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  origins: string[];
  /** Where Latchkey says that it has ended a session. */
  backchannelLogoutUri?: string;
  /** The identifier of an API of the application. */
  api?: string;
};

/** What the settings of a new application name. */
export type Application = {
  issuer: string;
  apiUrl: string;
  workspaceId: string;
  projectId: string;
  clientId: string;
  /** Only of the kind `web`. */
  clientSecret: string;
};

type Body = ReturnType<typeof Object>;

/**
 * Adds the application to the project, or takes the one that was added under this name.
 * @throws Refused if Latchkey cannot be reached or does not accept it
 */
export async function addTo(demo: Demo, { name, ...wanted }: Wanted & { name: string }): Promise<Application> {
  const call = await caller(demo);
  const { authUrl: issuer, apiUrl } = demo.environment;
  const { kind, api, redirectUris, postLogoutRedirectUris, origins, backchannelLogoutUri = null } = wanted;
  if (api !== undefined) await addApi(call, api, name);
  const apis = api === undefined ? [] : [{ identifier: api, scopes: [] }];
  const body = { name, redirectUris, postLogoutRedirectUris, origins, backchannelLogoutUri, apis };
  const known = await find(call, '/v1/admin/applications', (item) => item.name === name && item.kind === kind);
  const { workspaceId, projectId } = demo;
  const found = { issuer, apiUrl, workspaceId, projectId };
  if (!known) {
    const { clientId, secret } = await call('POST', '/v1/admin/applications', { kind, ...body });
    return { ...found, clientId, clientSecret: secret ?? '' };
  }
  await call('PATCH', `/v1/admin/applications/${known.id}`, body);
  const clientSecret = kind === 'web' ? await anotherSecret(call, known) : '';
  return { ...found, clientId: known.clientId, clientSecret };
}

/** A secret is shown once, so the application gets another one. It has two at most: the older one goes. */
async function anotherSecret(call: Call, { id, secrets }: Body): Promise<string> {
  const path = `/v1/admin/applications/${id}/secrets`;
  if (secrets.length > 1) await call('DELETE', `${path}/${secrets[0].id}`);
  const { secret } = await call('POST', path, {});
  return secret;
}

type Call = (method: string, path: string, body?: object) => Promise<Body>;

async function addApi(call: Call, identifier: string, name: string): Promise<void> {
  const known = await find(call, '/v1/admin/apis', (item) => item.identifier === identifier);
  if (!known) await call('POST', '/v1/admin/apis', { identifier, name: `API of ${name}`, scopes: [] });
}

/** The first item of a list that fits. */
async function find(call: Call, path: string, fits: (item: Body) => boolean, cursor = ''): Promise<Body | undefined> {
  const { items, nextCursor } = await call('GET', `${path}?limit=100${cursor}`);
  const found = items.find(fits);
  if (found || nextCursor === null) return found;
  return find(call, path, fits, `&cursor=${encodeURIComponent(nextCursor)}`);
}

/** Calls the API as the back end of the demo. */
async function caller({ workspaceId, projectId, environment }: Demo): Promise<Call> {
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = environment;
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    workspaceId,
    projectId,
    environment: 'test',
    client_id: managementClientId,
    client_secret: managementClientSecret,
  });
  const { access_token: token } = await send(`${authUrl}/connect/token`, { method: 'POST', body: form });
  return (method, path, body) =>
    send(apiUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    });
}

async function send(url: string, init: RequestInit): Promise<Body> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    throw new Refused(
      `Latchkey does not respond at ${new URL(url).origin}. Start it in another terminal: npx latchkey serve`,
      { cause },
    );
  }
  const body = Object(await response.json().catch(() => null));
  if (!response.ok)
    throw new Refused(`${init.method} ${url} was refused: ${body.detail ?? body.error_description ?? response.status}`);
  return body;
}
