import { base64url } from '../encoding.ts';

/** Whether this browser can use passkeys. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis;
}

/** Whether this browser offers passkeys among the suggestions of a field with `autocomplete="webauthn"`. */
export async function offersPasskeys(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/**
 * Asks for a passkey.
 * @param options as Latchkey responded
 * @returns what Latchkey expects as `response`
 * @throws DOMException NotAllowedError if the person cancels or has none; AbortError by the signal
 */
export async function getPasskey(
  options: object,
  { signal, conditional }: { signal?: AbortSignal | undefined; conditional?: boolean | undefined } = {},
): Promise<object> {
  const { challenge, allowCredentials = [], ...rest } = Object(options);
  const publicKey = { ...rest, challenge: bytesOf(challenge), allowCredentials: allowCredentials.map(withBytes) };
  const found = await navigator.credentials.get({
    publicKey,
    ...(signal && { signal }),
    ...(conditional && { mediation: 'conditional' as const }),
  });
  return jsonOf(found, ['authenticatorData', 'clientDataJSON', 'signature', 'userHandle']);
}

/** Creates a passkey; see {@link getPasskey}. */
export async function createPasskey(options: object): Promise<object> {
  const { challenge, user, excludeCredentials = [], ...rest } = Object(options);
  const publicKey = {
    ...rest,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(withBytes),
  };
  const made = await navigator.credentials.create({ publicKey });
  const json = jsonOf(made, ['clientDataJSON', 'attestationObject']);
  const { response } = Object(made);
  return { ...json, response: { ...Object(json).response, transports: response.getTransports?.() ?? [] } };
}

/** WebAuthn Level 3 §5.1: not every browser has `toJSON`. */
function jsonOf(credential: Credential | null, parts: readonly string[]): object {
  const { id, rawId, type, authenticatorAttachment, response } = Object(credential);
  const fields = parts.filter((part) => response[part]).map((part) => [part, base64url(response[part])]);
  return {
    id,
    rawId: base64url(rawId),
    type,
    ...(authenticatorAttachment && { authenticatorAttachment }),
    clientExtensionResults: Object(credential).getClientExtensionResults(),
    response: Object.fromEntries(fields),
  };
}

function withBytes(credential: { id: string }): object {
  return { ...credential, id: bytesOf(credential.id) };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
}
