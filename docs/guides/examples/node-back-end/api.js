import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { LATCHKEY_ISSUER: issuer = 'http://localhost:4001', AUDIENCE = 'https://api.example.com' } = process.env;
const { LATCHKEY_PROJECT: project, PORT = '3001' } = process.env;

const keys = createRemoteJWKSet(new URL(`${issuer}/connect/jwks`));

/** Verifies the access token of a request (RFC 9068). @returns its claims @throws if it is not a valid token for this API */
async function authenticate({ authorization = '' }) {
  const token = /^Bearer (\S+)$/i.exec(authorization)?.[1] ?? '';
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: AUDIENCE,
    typ: 'at+jwt',
    algorithms: ['ES256'],
    requiredClaims: ['sub', 'exp', 'client_id'],
  });
  // Other projects may have an API with this identifier.
  if (payload.project_id !== project) throw new Error('The token is of another project.');
  // A token that is bound to a key needs a proof of it (RFC 9449 §7.2).
  if (payload.cnf !== undefined) throw new Error('The token is no bearer token.');
  return payload;
}

createServer(async (request, response) => {
  const claims = await authenticate(request.headers).catch(() => null);
  if (!claims) return response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ you: claims.sub, roles: claims.roles, project: claims.project_id }));
}).listen(Number(PORT), () => console.log(`listening on http://localhost:${PORT}`));
