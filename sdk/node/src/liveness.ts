/**
 * Asks Latchkey whether an OpenID Connect access token is still live (RFC 7662): one request for each check.
 * @param client an application of the project with a secret
 */
export function introspection(client: {
  issuer: string;
  clientId: string;
  clientSecret: string;
}): (token: string) => Promise<boolean> {
  return async (token) => {
    const response = await fetch(`${client.issuer}/connect/introspect`, {
      method: 'POST',
      redirect: 'error',
      body: new URLSearchParams({ token, client_id: client.clientId, client_secret: client.clientSecret }),
    });
    if (!response.ok) throw new Error(`Latchkey refused to introspect a token: ${response.status}`);
    const { active } = Object(await response.json());
    return active === true;
  };
}

/**
 * Asks Latchkey whether the session of a session token is still live: one request for each check. It sees a blocked member,
 * too.
 * @param apiUrl the address of Latchkey's API
 */
export function liveSession(apiUrl: string): (token: string) => Promise<boolean> {
  return async (token) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${apiUrl}/v1/me/context`, { headers, redirect: 'error' });
    await response.body?.cancel();
    if (response.ok) return true;
    if (response.status === 401 || response.status === 403) return false;
    throw new Error(`Latchkey could not say whether a session is live: ${response.status}`);
  };
}
