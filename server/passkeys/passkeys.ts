import { type Static, Type } from 'typebox';
import { emit } from '#events';
import type { Ctx, TxCtx } from '#platform/ctx.ts';
import { isUniqueViolation } from '#platform/db.ts';
import { newId, type SessionId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { authenticatorName } from './authenticators.ts';
import {
  type ChallengeBinding,
  type ChallengeId,
  spendChallenge,
  spendChallengeAtOnce,
  storeChallenge,
} from './passkey-challenges.ts';
import {
  countUse,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeys,
  MAX_PASSKEYS,
  type PasskeyId,
} from './passkey-store.ts';

/** Loaded at first use, because it takes 5 MB. */
const webauthn = () => import('@simplewebauthn/server');

/** The relying party: its id and the origins its pages may have (WebAuthn §5.1.2). */
export type RelyingParty = { id: string; origins: string[] };

const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+=*$' });
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.Enum(['platform', 'cross-platform'])),
  clientExtensionResults: Type.Object({}, { additionalProperties: true }),
};

/** The result of `navigator.credentials.create()`, as its `toJSON()` writes it. */
export const RegistrationResponse = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: base64url(10_000),
        attestationObject: base64url(100_000),
        transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 })),
      },
      { additionalProperties: true },
    ),
  },
  {
    title: 'PasskeyRegistration',
    additionalProperties: false,
  },
);

/** The result of `navigator.credentials.get()`, as its `toJSON()` writes it. */
export const AuthenticationResponse = Type.Object(
  {
    ...credential,
    response: Type.Object(
      {
        clientDataJSON: base64url(10_000),
        authenticatorData: base64url(10_000),
        signature: base64url(10_000),
        userHandle: Type.Optional(Type.Union([base64url(200), Type.Null()])),
      },
      { additionalProperties: true },
    ),
  },
  {
    title: 'PasskeyAssertion',
    additionalProperties: false,
  },
);
export type AuthenticationResponse = Static<typeof AuthenticationResponse>;

/** Options for `navigator.credentials`; the names and meanings are WebAuthn's. */
export const WebAuthnOptions = Type.Record(Type.String(), Type.Unknown());

/** The user who registers a passkey, and the session. */
type PasskeyMaker = { userId: UserId; sessionId: SessionId };

/**
 * Options to register a passkey for a signed-in user.
 * @throws Problem CONFLICT when they have too many
 */
export async function passkeyCreationOptions(
  tx: TxCtx,
  { name, displayName, ...by }: PasskeyMaker & { name: string; displayName: string },
  rp: RelyingParty & { name: string },
) {
  const known = await listPasskeys(tx, by.userId);
  if (known.length >= MAX_PASSKEYS)
    throw problem('CONFLICT', `An account has at most ${MAX_PASSKEYS} passkeys. Remove one first.`);
  const { generateRegistrationOptions } = await webauthn();
  const options = await generateRegistrationOptions({
    rpName: rp.name,
    rpID: rp.id,
    userName: name,
    userDisplayName: displayName,
    userID: Uint8Array.from(Buffer.from(by.userId)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  const flowId = await storeChallenge(tx, {
    binding: { purpose: 'registration', ...by },
    challenge: options.challenge,
    rpId: rp.id,
  });
  return { flowId, options: { ...options } };
}

type NewPasskey = {
  flowId: ChallengeId;
  response: Static<typeof RegistrationResponse>;
  /** The person's name for it. */
  name?: string;
  /** Names it where neither the person nor its maker does. */
  device: string;
  secondFactor: boolean;
};

/**
 * Adds the passkey that a browser created.
 * @throws Problem INVALID_CODE if the response does not match our challenge, ALREADY_EXISTS
 */
export async function addPasskey(
  tx: TxCtx,
  by: PasskeyMaker,
  passkey: NewPasskey,
  rp: RelyingParty,
): Promise<PasskeyId> {
  const { userId } = by;
  const challenge = await spendChallenge(tx, { id: passkey.flowId, binding: { purpose: 'registration', ...by } });
  if (!challenge) throw notOurs();
  const { response } = passkey;
  const { verifyRegistrationResponse } = await webauthn();
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: { ...response.response, transports: response.response.transports ?? [] } },
    expectedChallenge: challenge.challenge,
    expectedOrigin: rp.origins,
    expectedRPID: challenge.rpId,
  }).catch(refused);
  if (!verified || !registrationInfo) throw notOurs();
  const { credential: made } = registrationInfo;
  const id = newId('psk', tx.now);
  try {
    await insertPasskey(tx, {
      id,
      user_id: userId,
      rp_id: challenge.rpId,
      credential_id: made.id,
      public_key: Buffer.from(made.publicKey),
      counter: made.counter,
      transports: made.transports ?? [],
      device_type: registrationInfo.credentialDeviceType,
      backed_up: registrationInfo.credentialBackedUp,
      aaguid: registrationInfo.aaguid,
      name: passkey.name ?? authenticatorName(registrationInfo.aaguid) ?? passkey.device,
      second_factor: passkey.secondFactor,
    });
  } catch (error) {
    throw isUniqueViolation(error, 'passkeys_credential')
      ? problem('ALREADY_EXISTS', 'This passkey is already registered.')
      : error;
  }
  await emit(tx, 'user.passkey.added', { userId, passkeyId: id });
  return id;
}

/** The purpose of an assertion: a sign-in, or the second step of a user's sign-in. */
type Asked = Exclude<ChallengeBinding, { purpose: 'registration' }>;

/** Options to use any passkey the browser offers; they do not depend on an account (AU-6). */
export async function passkeyRequestOptions(tx: TxCtx, rp: RelyingParty, binding: Asked) {
  const { generateAuthenticationOptions } = await webauthn();
  const options = await generateAuthenticationOptions({ rpID: rp.id, userVerification: 'required' });
  const flowId = await storeChallenge(tx, { binding, challenge: options.challenge, rpId: rp.id });
  return { flowId, options: { ...options } };
}

/** A response to {@link passkeyRequestOptions}, and its purpose. */
export type PasskeyResponse = { flowId: ChallengeId; response: AuthenticationResponse; asked: Asked };

/** A passkey that was just used, its user, and the method as RFC 8176 names it. */
export type UsedPasskey = { id: PasskeyId; userId: UserId; amr: ('hwk' | 'swk' | 'user')[] };

/**
 * Checks an assertion and spends its challenge. A counter that went backwards indicates a cloned key and is refused.
 * @throws Problem INVALID_CREDENTIALS for any fault
 */
export async function checkPasskey(
  ctx: Ctx,
  { flowId, response, asked }: PasskeyResponse,
  rp: RelyingParty,
): Promise<{ used: UsedPasskey; record: (tx: TxCtx) => Promise<void> }> {
  const challenge = await spendChallengeAtOnce(ctx, { id: flowId, binding: asked });
  const known = await findPasskeyByCredential(ctx, response.id);
  const { userHandle, ...signed } = response.response;
  // WebAuthn §7.2 step 6: the authenticator's user handle must be that of the credential's owner.
  const owned = !userHandle || Buffer.from(userHandle, 'base64url').toString() === known?.user_id;
  if (!challenge || !known || !owned) throw problem('INVALID_CREDENTIALS', 'This passkey belongs to no account here.');
  const { verifyAuthenticationResponse } = await webauthn();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...response, response: { ...signed, ...(userHandle && { userHandle }) } },
    expectedChallenge: challenge.challenge,
    expectedOrigin: rp.origins,
    expectedRPID: challenge.rpId,
    credential: {
      id: known.credential_id,
      publicKey: Uint8Array.from(known.public_key),
      counter: known.counter,
      transports: known.transports,
    },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: null }));
  if (!verified || !authenticationInfo)
    throw problem('INVALID_CREDENTIALS', 'This passkey belongs to no account here.');
  const { newCounter, credentialBackedUp, credentialDeviceType } = authenticationInfo;
  return {
    used: {
      id: known.id,
      userId: known.user_id,
      amr: [credentialDeviceType === 'singleDevice' ? 'hwk' : 'swk', 'user'],
    },
    record: (tx) => countUse(tx, known.id, { from: known.counter, to: newCounter, backedUp: credentialBackedUp }),
  };
}

function notOurs() {
  return problem('INVALID_CODE', 'The passkey response does not match this request or is too late. Start again.');
}

function refused(): never {
  throw notOurs();
}
