import { payloadOf, randomText, sha256 } from './encoding.ts';
import { type Issuer, postForm, type TokenResponse, tokensOf } from './endpoints.ts';
import { AuthError, type StepUp } from './errors.ts';
import { keepPending, ownAddress, takeResponse } from './pending.ts';

/** Tolerated difference between the times of an ID token and the present, in seconds. */
const TOLERANCE = 60;

/** What a sign-in asks for beside the settings. */
export type SignInOptions = {
  /** The id or slug of an organization. */
  organization?: string;
  /** The address or username to fill in. */
  loginHint?: string;
  /** `create` begins with the registration. */
  prompt?: 'login' | 'consent' | 'select_account' | 'create';
  /** A level such as `aal2`, reached if the person can. {@link Auth.stepUp} makes it a condition. */
  acrValues?: string;
  /** How long ago the person may have signed in, in seconds. */
  maxAge?: number;
  /** The identifiers of APIs, instead of those of the settings. */
  resource?: string | readonly string[];
  /** Languages of the pages, in order of preference, such as `de en`. */
  uiLocales?: string;
  /** Where the person goes afterwards: an address of this page's origin. By default the present one. */
  returnTo?: string;
};

/** A sign-in on its way, kept until the person comes back. */
type Transaction = {
  verifier: string;
  nonce: string;
  redirectUri: string;
  returnTo: string;
  resources: string[];
  at: number;
  /** What the response must show, if this is a step-up. */
  subject?: string | undefined;
  stepUp?: StepUp | undefined;
  isSilent?: boolean | undefined;
};

export type Asked = SignInOptions & {
  redirectUri: string;
  scope: string;
  resources: readonly string[];
  subject?: string;
  stepUp?: StepUp;
  idTokenHint?: string;
  isSilent?: boolean;
};

export type Finished = {
  tokens: TokenResponse;
  claims: Record<string, unknown> & { sub: string };
  idToken: string;
  /** The resource that the access token is for. */
  resource: string | undefined;
  returnTo: string;
};

/**
 * Keeps what the response is checked against.
 * @returns the address of the authorization request
 */
export async function beginSignIn({ url, clientId }: Issuer, asked: Asked): Promise<string> {
  const { redirectUri, resources, subject, stepUp, isSilent } = asked;
  const verifier = randomText();
  const nonce = randomText();
  const transaction: Transaction = {
    verifier,
    nonce,
    redirectUri,
    returnTo: ownAddress(asked.returnTo),
    resources: [...resources],
    at: Date.now(),
    subject,
    stepUp,
    isSilent,
  };
  const state = keepPending(clientId, transaction);
  const claims = stepUp?.acr !== undefined && { id_token: { acr: { essential: true, values: [stepUp.acr] } } };
  const query = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: asked.scope,
    state,
    nonce,
    code_challenge: await sha256(verifier),
    code_challenge_method: 'S256',
    prompt: isSilent ? 'none' : asked.prompt,
    organization: asked.organization,
    login_hint: asked.loginHint,
    id_token_hint: asked.idTokenHint,
    acr_values: asked.acrValues,
    max_age: asked.maxAge?.toString(),
    own_proof: stepUp?.ownProof ? 'true' : undefined,
    ui_locales: asked.uiLocales,
    claims: claims ? JSON.stringify(claims) : undefined,
  };
  const target = new URL(`${url}/connect/authorize`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) target.searchParams.set(name, value);
  for (const resource of resources) target.searchParams.append('resource', resource);
  return target.href;
}

/**
 * Redeems the response in the address of this page, and removes it from there.
 * @returns null if there is none, or one that a silent sign-in did not get
 * @throws AuthError offline, unavailable, refused, sign_in_failed
 */
export async function finishSignIn(issuer: Issuer): Promise<Finished | null> {
  const response = takeResponse(issuer.clientId);
  if (!response) return null;
  const { sent } = response;
  const transaction: Transaction | null = response.transaction;
  if (!transaction) throw failed('The response belongs to no sign-in that this browser began, or was used before.');
  // RFC 9207: the response of another server is never redeemed here.
  if (sent.get('iss') !== issuer.url) throw failed('The response is from another issuer.');
  const error = sent.get('error');
  if (error !== null) {
    if (transaction.isSilent) return null;
    const code = error === 'temporarily_unavailable' ? 'unavailable' : 'sign_in_failed';
    throw new AuthError(code, sent.get('error_description') ?? error, { oauthError: error });
  }
  return redeem(issuer, transaction, sent.get('code') ?? '');
}

async function redeem(issuer: Issuer, transaction: Transaction, code: string): Promise<Finished> {
  const [resource] = transaction.resources;
  const body = await postForm(issuer, '/connect/token', {
    grant_type: 'authorization_code',
    code,
    code_verifier: transaction.verifier,
    redirect_uri: transaction.redirectUri,
    resource,
  });
  const tokens = tokensOf(body);
  const { id_token: idToken = '' } = tokens;
  const claims = payloadOf(idToken);
  const { sub } = claims;
  const fault = faultOf(claims, issuer, transaction);
  if (fault || typeof sub !== 'string') throw failed(`The ID token is not valid: ${fault ?? 'sub'}.`);
  return { tokens, claims: { ...claims, sub }, idToken, resource, returnTo: transaction.returnTo };
}

/** OpenID Connect Core §3.1.3.7. The token came from the issuer itself over TLS, which replaces its signature (6.). */
function faultOf(
  claims: Record<string, unknown>,
  { url, clientId, clock }: Issuer,
  transaction: Transaction,
): string | null {
  const { iss, aud, azp, exp, nonce, sub, acr, auth_time: authTime } = claims;
  const now = clock.now() / 1000;
  const { subject = sub, stepUp } = transaction;
  const checks = {
    iss: iss === url,
    aud: [aud].flat().includes(clientId) && (azp === undefined || azp === clientId),
    exp: Number(exp) > now - TOLERANCE,
    nonce: nonce === transaction.nonce,
    'another person signed in': sub === subject,
    acr: stepUp?.acr === undefined || acr === stepUp.acr,
    auth_time:
      stepUp?.maxAge === undefined || Number(authTime) >= now - stepUp.maxAge - TOLERANCE - elapsed(transaction),
  };
  return Object.entries(checks).find(([, isGood]) => !isGood)?.[0] ?? null;
}

/** The seconds that the person took: the proof is as old as that at most. */
function elapsed({ at }: Transaction): number {
  return Math.max(0, (Date.now() - at) / 1000);
}

function failed(message: string): AuthError {
  return new AuthError('sign_in_failed', message);
}
