import { parse } from 'node:querystring';
import { errors } from 'oidc-provider';
import { hasClaimActions } from '#actions';
import type { Application } from '#applications';
import { signCompact } from '#keys';
import { EXPOSED_HEADERS } from '#platform/cross-origin.ts';
import type { EarlyForm, EarlyResponse } from '#platform/http-early.ts';
import { randomSecret } from '#platform/keyring.ts';
import type { System } from '#platform/system.ts';
import { applicationOf, type IssuerAddress } from './clients.ts';
import { PROVIDER_HEADERS } from './headers.ts';
import { defaultMachineResource, machineClaims, machineGrant } from './management-tokens.ts';
import { type Issuer, issuerOf } from './provider.ts';

/** The parameters of a plain request. With any other, the provider responds. */
const PLAIN = [
  'grant_type',
  'client_id',
  'client_secret',
  'workspaceId',
  'projectId',
  'environment',
  'scope',
  'resource',
];
const BASIC = /^basic ((?:[a-z\d+/]{4})+(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?)$/i;
/** Some clients encode characters that need no encoding (RFC 6749 §2.3.1). */
const CREDENTIALS = /^((?:[\w.-]|%[2-7][\da-f])+):((?:[\w.-]|%[2-7][\da-f])+)$/i;
/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

const HEADERS = {
  'cache-control': 'no-store',
  ...PROVIDER_HEADERS,
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'content-type': 'application/json; charset=utf-8',
};

/**
 * Issues the token of a machine (`client_credentials`) for a plain and valid request, as the provider does in about
 * three times the time. It reads and checks with the provider's clients and the same rules (`machineGrant`).
 * @returns undefined for every other request, including every one that is refused: the provider responds
 */
export async function earlyMachineToken(
  system: System,
  address: IssuerAddress,
  { form, authorization }: EarlyForm,
): Promise<EarlyResponse | undefined> {
  const body = plainForm(form);
  const presented = body && credentialsOf(body, authorization);
  if (!presented) return undefined;
  const issuer = await issuerOf(system, address);
  const application = await authenticated(issuer, presented);
  // An action is asked once, also if it fails and the provider responds.
  if (!application || (await hasClaimActions({ system, scope: application }))) return undefined;
  const resource = body['resource'] ?? (await defaultMachineResource(system, address, application));
  const granted = await machineGrant(system, application, { resource, scope: body['scope'], body }).catch(refusal);
  if (!granted || granted.scope === '') return undefined;
  const scope = [...new Set(granted.scope.split(' '))].join(' ');
  const token = await signed(system, issuer, { application, resource, scope, seconds: granted.seconds });
  if (token === undefined) return undefined;
  const response = { access_token: token, expires_in: granted.seconds, scope, token_type: 'Bearer' };
  return { body: JSON.stringify(response), headers: HEADERS };
}

/** @returns undefined for a form with an unknown, repeated or empty parameter, or of another grant */
function plainForm(form: string): Record<string, string> | undefined {
  const body: Record<string, string> = {};
  for (const [name, value] of Object.entries(parse(form))) {
    if (typeof value !== 'string' || value === '' || !PLAIN.includes(name)) return undefined;
    body[name] = value;
  }
  const { scope, resource } = body;
  if (scope !== undefined && !SCOPE.test(scope)) return undefined;
  if (resource !== undefined && (resource.includes('#') || !URL.canParse(resource))) return undefined;
  return body['grant_type'] === 'client_credentials' ? body : undefined;
}

type Presented = { clientId: string; secret: string };

/** The credentials in the form or the header, where there is one pair of them. */
function credentialsOf(body: Record<string, string>, authorization: string | undefined): Presented | undefined {
  const { client_id: named, client_secret: inForm } = body;
  if (authorization === undefined)
    return named === undefined || inForm === undefined ? undefined : { clientId: named, secret: inForm };
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined || inForm !== undefined) return undefined;
  const [, user, password] = CREDENTIALS.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (user === undefined || password === undefined) return undefined;
  const clientId = decodeURIComponent(user);
  return named === undefined || named === clientId ? { clientId, secret: decodeURIComponent(password) } : undefined;
}

/** The application of a client that authenticates with a secret and may request tokens for itself that are bound to no key. */
async function authenticated({ provider }: Issuer, { clientId, secret }: Presented): Promise<Application | undefined> {
  const client = await provider.Client.find(clientId);
  const isPlain =
    client?.clientAuthMethod === 'client_secret_basic' &&
    client.grantTypeAllowed('client_credentials') &&
    !client.dpopBoundAccessTokens;
  return isPlain && (await client.compareClientSecret(secret)) ? applicationOf(client) : undefined;
}

function refusal(error: unknown): undefined {
  if (!(error instanceof errors.OIDCProviderError)) throw error;
}

type Granted = { application: Application; resource: string; scope: string; seconds: number };

/** The claims are in the order of the provider. */
async function signed(
  system: System,
  { provider, signer }: Issuer,
  { application, resource, scope, seconds }: Granted,
): Promise<string | undefined> {
  if (!signer) return undefined;
  const claims = await machineClaims(system, application, { aud: resource, seconds }).catch(refusal);
  if (!claims) return undefined;
  const { iat, exp, ...place } = claims;
  const { clientId } = application;
  const jti = randomSecret();
  const names = { scope, client_id: clientId, iss: provider.issuer, aud: resource };
  return signCompact(signer, 'at+jwt', { jti, sub: clientId, iat, exp, ...names, ...place });
}
