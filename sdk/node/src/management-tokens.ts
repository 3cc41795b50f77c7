export type ManagementClient = {
  /** The auth address, such as `https://auth.example.com`. */
  authUrl: string;
  workspaceId: string;
  projectId: string;
  environment: 'test' | 'production';
  clientId: string;
  clientSecret: string;
  /** Some of the application's permissions, separated by spaces; all by default. */
  scope?: string;
};

/** A token is renewed when this share of its life has passed, so that it lives through the request it is used for. */
const USED_SHARE = 0.8;

/**
 * Requests management tokens (`client_credentials`) and keeps the present one until shortly before it expires. Parallel
 * callers share one request; a request that failed is repeated by the next caller.
 */
export function managementTokens(client: ManagementClient): () => Promise<string> {
  let current = { token: '', until: 0 };
  let pending: Promise<string> | null = null;
  const renew = async () => {
    const began = Date.now();
    const { token, seconds } = await requestToken(client);
    current = { token, until: began + seconds * 1000 * USED_SHARE };
    return token;
  };
  return () => {
    if (Date.now() < current.until) return Promise.resolve(current.token);
    pending ??= renew().finally(() => {
      pending = null;
    });
    return pending;
  };
}

async function requestToken({ authUrl, clientId, clientSecret, scope, ...context }: ManagementClient) {
  const { workspaceId, projectId, environment } = context;
  const response = await fetch(`${authUrl}/connect/token`, {
    method: 'POST',
    redirect: 'error',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId,
      projectId,
      environment,
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope !== undefined && { scope }),
    }),
  });
  const content: Record<string, unknown> = Object(await response.json().catch(() => null));
  const { access_token: token, expires_in: seconds } = content;
  if (!response.ok || typeof token !== 'string' || typeof seconds !== 'number') {
    const reason = content['error_description'] ?? content['error'] ?? 'no token in the response';
    throw new Error(`Latchkey gave no management token: ${response.status}, ${reason}`);
  }
  return { token, seconds };
}
