import type { JWTStructured, KoaContextWithOIDC } from 'oidc-provider';

/** Who acts for the user of a token, the latest first (RFC 8693 §4.1). */
export type Act = { sub: string; act?: Act };

/** What a token takes over from the token it is exchanged for. */
type Exchange = {
  act: Act;
  /** The claims of the exchanged token; the new one has no others about the user's access. */
  claims: readonly string[];
};

const exchanges = new WeakMap<KoaContextWithOIDC['oidc'], Exchange>();

/** Stores what the token of this request is exchanged for, because the provider asks for the claims separately. */
export function noteExchange({ oidc }: KoaContextWithOIDC, exchange: Exchange): void {
  exchanges.set(oidc, exchange);
}

/** Whether the token of this request may have a claim about the user's access. */
export function mayCarry({ oidc }: KoaContextWithOIDC, claim: string): boolean {
  return exchanges.get(oidc)?.claims.includes(claim) ?? true;
}

/** Adds the actors of the user (`act`) to a token of this request. */
export function describeExchange({ oidc }: KoaContextWithOIDC, { payload }: JWTStructured): void {
  const act = exchanges.get(oidc)?.act;
  if (act) Object.assign(payload, { act });
}
