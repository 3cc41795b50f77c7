import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

const SCOPE = 'offline_access';

/**
 * Grants `offline_access` with every authorization that brings a refresh token, so that the response names it
 * (OpenID Connect Core §11). The library grants it only where the client asks for the consent page.
 */
export function askOfflineAccess({ oidc }: KoaContextWithOIDC): void {
  const { client, params } = oidc;
  const scopes = [...oidc.requestParamScopes];
  if (!client?.grantTypeAllowed('refresh_token') || !params || scopes.includes(SCOPE)) return;
  if (scopes.includes('openid')) params['scope'] = [...scopes, SCOPE].join(' ');
}

/** The scopes that a person consents to. Offline access comes with the refresh token. */
export function withoutOfflineAccess(scopes: Iterable<string>): string[] {
  return [...scopes].filter((scope) => scope !== SCOPE);
}

/** Refresh tokens from before it was granted may be refreshed with it, too. */
export function takeOfflineAccess({ RefreshToken }: Provider): void {
  Object.defineProperty(RefreshToken.prototype, 'scopes', {
    get(this: { scope?: string }) {
      return new Set([...(this.scope?.split(' ') ?? []), SCOPE]);
    },
  });
}
