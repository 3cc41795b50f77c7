const {
  LATCHKEY_ISSUER: issuer = 'http://localhost:4001',
  LATCHKEY_API: api = 'http://localhost:4002',
  LATCHKEY_CLIENT_ID: id,
  LATCHKEY_CLIENT_SECRET: secret,
  LATCHKEY_WORKSPACE: workspaceId,
  LATCHKEY_PROJECT: projectId,
  LATCHKEY_ENVIRONMENT: environment = 'test',
} = process.env;

let cached = { token: '', until: 0 };

/** Returns a management token. It is cached until it expires, so a busy program requests one an hour. */
async function token() {
  if (Date.now() < cached.until) return cached.token;
  const response = await fetch(`${issuer}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', workspaceId, projectId, environment }),
  });
  const body = await response.json();
  if (!response.ok) throw new Error(`${body.error}: ${body.error_description}`);
  cached = { token: body.access_token, until: Date.now() + (body.expires_in - 60) * 1000 };
  return cached.token;
}

/** Yields every member of the project, page by page. */
async function* members() {
  let cursor = null;
  do {
    const query = new URLSearchParams({ limit: '100', ...(cursor && { cursor }) });
    const response = await fetch(`${api}/v1/admin/members?${query}`, {
      headers: { authorization: `Bearer ${await token()}` },
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${body.errorCode}: ${body.detail} (trace ${body.traceId})`);
    yield* body.items;
    cursor = body.nextCursor;
  } while (cursor);
}

for await (const { email, status } of members()) console.log(email, status);
