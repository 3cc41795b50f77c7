import { Type } from 'typebox';
import { Value } from 'typebox/value';

const Claims = Type.Object({
  id_token: Type.Object({
    acr: Type.Object({
      essential: Type.Optional(Type.Boolean()),
      value: Type.Optional(Type.String()),
      values: Type.Optional(Type.Array(Type.String())),
    }),
  }),
});

/**
 * Whether an authorization request asks for two factors: voluntarily by `acr_values`, or by the claim `acr`, which may
 * be essential (OpenID Connect Core §5.5.1.1).
 * @param params the request's parameters as sent
 */
export function wantedLevel(params: Readonly<Record<string, unknown>> | undefined): 'no' | 'wished' | 'essential' {
  const claims: unknown = typeof params?.['claims'] === 'string' ? JSON.parse(params['claims']) : undefined;
  const acr = Value.Check(Claims, claims) ? claims.id_token.acr : undefined;
  const levels = acr?.values ?? (acr?.value === undefined ? undefined : [acr.value]);
  if (levels?.includes('aal2') && !levels.includes('aal1')) return acr?.essential ? 'essential' : 'wished';
  const [best] = String(params?.['acr_values'] ?? '').split(' ');
  return best === 'aal2' ? 'wished' : 'no';
}
