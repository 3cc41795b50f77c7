import { problem } from '#platform/problem.ts';
import { type ApplicationKind, EXCHANGING, type Grant, grantsOf, TOKEN_EXCHANGE } from './grants.ts';

/** The fields of an application that depend on each other, before or after a change. */
type Combination = {
  kind: ApplicationKind;
  profile?: 'oauth' | 'fapi2';
  pkce?: 'required' | 'optional';
  jwks?: { keys: { alg?: string }[] } | null;
  permissions?: readonly string[];
  grants?: readonly Grant[];
  refreshTokenSeconds?: number | null;
  dpopBound?: boolean;
};

/**
 * Checks fields that depend on each other.
 * @throws Problem VALIDATION_FAILED
 */
export function checkCombination({ kind, profile, pkce, jwks, permissions = [], ...tokens }: Combination): void {
  const errors = [
    ...faultsOfTokens({ kind, ...tokens }),
    ...faultsOfExchange({ kind, ...(profile && { profile }), ...tokens }),
    ...(profile === 'fapi2' && !jwks ? [{ pointer: '/body/jwks', message: 'is needed for "fapi2"' }] : []),
    ...(profile === 'fapi2' && jwks?.keys.some(({ alg }) => alg === 'RS256')
      ? [{ pointer: '/body/jwks', message: 'must not be for RS256 with "fapi2": use PS256, ES256 or EdDSA' }]
      : []),
    ...(pkce === 'optional' && (kind !== 'web' || profile === 'fapi2')
      ? [{ pointer: '/body/pkce', message: 'is "required" for every kind but "web", and for "fapi2"' }]
      : []),
    ...(kind !== 'management' && permissions.length > 0
      ? [{ pointer: '/body/permissions', message: 'are for the kind "management" only' }]
      : []),
    ...(jwks && kind !== 'web' && kind !== 'management'
      ? [{ pointer: '/body/jwks', message: 'are for the kinds "web" and "management" only' }]
      : []),
  ];
  if (errors.length > 0) throw problem('VALIDATION_FAILED', { extensions: { errors } });
}

function faultsOfTokens({ kind, grants, refreshTokenSeconds }: Combination): { pointer: string; message: string }[] {
  const own = grantsOf(kind);
  const [mandatory] = own;
  const foreign = grants?.find((grant) => grant !== TOKEN_EXCHANGE && !own.includes(grant));
  const used: readonly string[] = grants ?? own;
  return [
    ...(foreign ? [{ pointer: '/body/grants', message: `"${foreign}" is not for the kind "${kind}"` }] : []),
    ...(grants && mandatory && !grants.includes(mandatory)
      ? [{ pointer: '/body/grants', message: `the kind "${kind}" needs "${mandatory}"` }]
      : []),
    ...(typeof refreshTokenSeconds === 'number' && !used.includes('refresh_token')
      ? [{ pointer: '/body/refreshTokenSeconds', message: 'it gets no refresh tokens' }]
      : []),
  ];
}

/**
 * Token exchange issues tokens that are bound to no key, so an application whose tokens must be bound may not use it.
 */
function faultsOfExchange({ kind, grants, profile, dpopBound }: Combination): { pointer: string; message: string }[] {
  if (!grants?.includes(TOKEN_EXCHANGE)) return [];
  const pointer = '/body/grants';
  return [
    ...(EXCHANGING.includes(kind)
      ? []
      : [{ pointer, message: `"${TOKEN_EXCHANGE}" is for the kinds "${EXCHANGING.join('" and "')}" only` }]),
    ...(dpopBound || profile === 'fapi2'
      ? [{ pointer, message: `"${TOKEN_EXCHANGE}" is not for applications whose tokens are bound to a key` }]
      : []),
  ];
}
