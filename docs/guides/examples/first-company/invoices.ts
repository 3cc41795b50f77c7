import { createServer } from 'node:http';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', LATCHKEY_API: api = 'http://localhost:4002' } = process.env;
const { AUDIENCE = 'https://invoices.example.com', MANAGEMENT_TOKEN, PORT = '3001' } = process.env;
const { LATCHKEY_PROJECT: project } = process.env;

const keys = createRemoteJWKSet(new URL(`${issuer}/connect/jwks`));

/** Verifies the access token of a request (RFC 9068). @throws if it is not a valid token for this API */
async function authenticate(authorization = ''): Promise<JWTPayload> {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: AUDIENCE,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['sub', 'exp', 'client_id'],
  });
  // Other projects may have an API with this identifier.
  if (payload['project_id'] !== project) throw new Error('The token is of another project.');
  return payload;
}

/** Asks whether the person has the permission in the organization now. */
async function isAllowed(userId: string, organizationId: string, permission: string): Promise<boolean> {
  const response = await fetch(`${api}/v1/admin/authorization/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MANAGEMENT_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId, organizationId, permission }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${body.errorCode}: ${body.detail} (trace ${body.traceId})`);
  return body.allowed;
}

/** Returns the status of the response and its body. */
async function listInvoices(authorization?: string): Promise<[number, unknown]> {
  const claims = await authenticate(authorization).catch(() => null);
  if (!claims?.sub) return [401, { error: 'invalid_token' }];
  const { sub, org_id: organizationId, org_name: company } = claims;
  if (typeof organizationId !== 'string') return [403, { error: 'no_organization' }];
  if (!(await isAllowed(sub, organizationId, 'invoices:read'))) return [403, { error: 'not_allowed' }];
  // Select what you store by the organization of the token, never by one that the request names.
  return [200, { company, invoices: [] }];
}

createServer(async (request, response) => {
  const [status, body] = await listInvoices(request.headers.authorization).catch((error) => {
    console.error(error);
    return [503, { error: 'try_again' }] as const;
  });
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}).listen(Number(PORT), () => console.log(`listening on http://localhost:${PORT}`));
