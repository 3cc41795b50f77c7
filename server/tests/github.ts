import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

type Person = {
  id: number;
  login: string;
  name: string;
  emails: { email: string; primary: boolean; verified: boolean }[];
};

/**
 * A server that speaks OAuth with GitHub's differences: the token response is JSON only on request and a form
 * otherwise, errors have status 200, the API requires a user agent, and responses name an issuer without discovery.
 */
export type GitHub = {
  /** The endpoints for the settings of a project's provider. */
  options: { authorizationEndpoint: string; tokenEndpoint: string; userinfoEndpoint: string; emailsEndpoint: string };
  person: Person;
  fault: 'bad_verification_code' | 'incorrect_client_credentials' | 'api down' | 'no user' | null;
  /** How each exchange authenticated, and whether its verifier was correct. */
  seen: { client: string; secret: string; verifier: boolean }[];
  /**
   * Starts a sign-in and approves it there.
   * @returns where the browser is redirected
   */
  visit: (start: string) => Promise<string>;
  stop: () => Promise<void>;
};

export async function startGitHub(): Promise<GitHub> {
  const codes = new Map<string, { challenge: string }>();
  const server = createServer((request, response) => {
    respond(request)
      .then(({ status = 200, body }) => {
        const json = request.headers.accept?.includes('json') === true;
        const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
        response.writeHead(status, { 'content-type': `${type}; charset=utf-8` });
        response.end(json ? JSON.stringify(body) : new URLSearchParams(Object(body)).toString());
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;

  const github: GitHub = {
    options: {
      authorizationEndpoint: `${origin}/login/oauth/authorize`,
      tokenEndpoint: `${origin}/login/oauth/access_token`,
      userinfoEndpoint: `${origin}/user`,
      emailsEndpoint: `${origin}/user/emails`,
    },
    person: { id: 1, login: 'octocat', name: 'Octocat', emails: [] },
    fault: null,
    seen: [],
    visit: (start) => visit(start, codes),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function respond(request: IncomingMessage): Promise<{ status?: number; body: unknown }> {
    const path = request.url ?? '';
    if (path === '/login/oauth/access_token') return { body: exchange(new URLSearchParams(await read(request))) };
    if (github.fault === 'api down') return { status: 503, body: { message: 'Service Unavailable' } };
    if (request.headers.authorization !== 'Bearer gho_token')
      return { status: 401, body: { message: 'Bad credentials' } };
    if (!request.headers['user-agent']) return { status: 403, body: { message: 'Request forbidden by rules.' } };
    return resource(path, github);
  }

  function exchange(form: URLSearchParams): unknown {
    const granted = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    github.seen.push({
      client: form.get('client_id') ?? '',
      secret: form.get('client_secret') ?? '',
      verifier: granted?.challenge === challenge,
    });
    if (github.fault === 'incorrect_client_credentials')
      return { error: github.fault, error_description: 'The client_id and/or client_secret passed are incorrect.' };
    if (!granted || github.fault === 'bad_verification_code')
      return { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' };
    return { access_token: 'gho_token', scope: 'read:user,user:email', token_type: 'bearer' };
  }

  return github;
}

/** The API's data about the person. */
function resource(path: string, { fault, person }: GitHub): { status?: number; body: unknown } {
  if (path === '/user') return { body: fault === 'no user' ? {} : { ...person, email: null, emails: undefined } };
  if (path === '/user/emails') return { body: person.emails };
  return { status: 404, body: { message: 'Not Found' } };
}

/**
 * A browser that visits the server, approves, and returns.
 * @returns where it is redirected
 */
async function visit(start: string, codes: Map<string, { challenge: string }>): Promise<string> {
  const left = await fetch(start, { redirect: 'manual' });
  const there = new URL(left.headers.get('location') ?? '');
  const code = crypto.randomUUID();
  codes.set(code, { challenge: there.searchParams.get('code_challenge') ?? '' });
  const back = new URL(there.searchParams.get('redirect_uri') ?? '');
  back.searchParams.set('code', code);
  back.searchParams.set('state', there.searchParams.get('state') ?? '');
  back.searchParams.set('iss', 'https://github.com/login/oauth');
  const cookies = left.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const finished = await fetch(back, { redirect: 'manual', headers: { cookie: cookies.join('; ') } });
  return finished.headers.get('location') ?? back.href;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
