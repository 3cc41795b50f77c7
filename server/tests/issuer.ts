import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { createProvider } from '#identity-providers';
import type { TestLatchkey } from './harness.ts';

/** The fault of the issuer's next sign-in. */
export type Fault =
  | 'other audience'
  | 'other nonce'
  | 'no nonce'
  | 'expired'
  | 'other issuer'
  | 'other key'
  | 'alg none'
  | 'no id token'
  | 'token endpoint down'
  | 'redirected token endpoint';

/** An OpenID provider that can misbehave on request. */
export type Issuer = {
  issuer: string;
  /** Merged into the claims of the ID token. */
  claims: JWTPayload;
  fault: Fault | null;
  /** The parameters of each authorization request. */
  asked: URLSearchParams[];
  /** The parameters of each token request. */
  redeemed: URLSearchParams[];
  /**
   * Approves a sign-in.
   * @param location the authorization request
   * @returns the parameters of the redirect back
   */
  approve: (location: string) => Record<string, string>;
  stop: () => Promise<void>;
};

/** Lets people of the demo's first project sign in through it, under the key `employer`. */
export async function addEmployer(latchkey: TestLatchkey, { issuer }: Issuer): Promise<void> {
  await latchkey.inProject((tx) =>
    createProvider(tx, {
      preset: 'oidc',
      key: 'employer',
      name: 'Employer',
      clientId: 'shop',
      clientSecret: 'secret',
      options: { issuer },
    }),
  );
}

const SUPPORTED = ['RS256', 'none'];

export async function startIssuer(): Promise<Issuer> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const keys = { own: own.privateKey, other: other.privateKey };
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'one', use: 'sig', alg: 'RS256' };
  const codes = new Map<string, URLSearchParams>();
  const server = createServer((request, response) => {
    respond(request)
      .then(({ status = 200, body, location }) => {
        response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
        response.end(JSON.stringify(body));
      })
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  const origin = `http://127.0.0.1:${address.port}`;
  const issuer: Issuer = {
    issuer: origin,
    claims: {},
    fault: null,
    asked: [],
    redeemed: [],
    approve: (location) => {
      const asked = new URL(location).searchParams;
      const code = crypto.randomUUID();
      codes.set(code, asked);
      issuer.asked.push(asked);
      return { code, state: asked.get('state') ?? '', iss: origin };
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function respond(request: IncomingMessage): Promise<{ status?: number; body: unknown; location?: string }> {
    switch (request.url) {
      case '/.well-known/openid-configuration':
      // A document at another address that names this issuer.
      case '/.well-known/openid-configuration?of=another':
      case '/evil/.well-known/openid-configuration':
        return { body: metadata(origin) };
      case '/jwks':
        return { body: { keys: [jwk] } };
      case '/token':
        return token(new URLSearchParams(await read(request)));
      default:
        return { status: 404, body: {} };
    }
  }

  async function token(form: URLSearchParams) {
    issuer.redeemed.push(form);
    const asked = codes.get(form.get('code') ?? '');
    if (issuer.fault === 'token endpoint down') return { status: 503, body: { error: 'temporarily_unavailable' } };
    if (issuer.fault === 'redirected token endpoint') return { status: 307, body: {}, location: `${origin}/elsewhere` };
    if (!asked) return { status: 400, body: { error: 'invalid_grant' } };
    const tokens = { access_token: 'an access token', token_type: 'Bearer', expires_in: 60 };
    return {
      body: issuer.fault === 'no id token' ? tokens : { ...tokens, id_token: await idToken(issuer, asked, keys) },
    };
  }

  return issuer;
}

type Keys = { own: CryptoKey; other: CryptoKey };

function idToken(
  { issuer, fault, claims: more }: Issuer,
  asked: URLSearchParams,
  keys: Keys,
): Promise<string> | string {
  const now = Math.floor(Date.now() / 1000) - (fault === 'expired' ? 7_200 : 0);
  const claims: JWTPayload = {
    iss: fault === 'other issuer' ? 'https://evil.example' : issuer,
    aud: fault === 'other audience' ? 'somebody else' : (asked.get('client_id') ?? ''),
    sub: 'subject',
    iat: now,
    exp: now + 3_600,
    ...(fault !== 'no nonce' && { nonce: fault === 'other nonce' ? 'other' : asked.get('nonce') }),
    ...more,
  };
  if (fault === 'alg none') return new UnsecuredJWT(claims).encode();
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .sign(fault === 'other key' ? keys.other : keys.own);
}

function metadata(origin: string) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    jwks_uri: `${origin}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: SUPPORTED,
    authorization_response_iss_parameter_supported: true,
  };
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
