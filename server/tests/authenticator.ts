import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

/** How an authenticator, or an attacker in between, deviates from what was requested. */
export type Deviation = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  userPresent?: boolean;
  userVerified?: boolean;
  counter?: number;
  /** Reports a synced passkey (backup eligible and backed up). */
  synced?: boolean;
  userHandle?: string;
  /** The model that it says it is, as 16 bytes in hexadecimal. */
  aaguid?: string;
  /** Signs with another key than the credential's. */
  otherKey?: boolean;
};

type Options = { challenge: string; rp?: { id: string }; rpId?: string; user?: { id: string } };

/** A software authenticator that can do what no browser would, for cases that must be refused. */
export type Authenticator = {
  id: string;
  /** Responds to the options of `navigator.credentials.create()`. */
  create: (options: Options, deviation?: Deviation) => Record<string, unknown>;
  /** Responds to the options of `navigator.credentials.get()`. */
  get: (options: Options, deviation?: Deviation) => Record<string, unknown>;
};

const FLAGS = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 };

/** @param origin the origin of the page that uses it */
export function softwareAuthenticator(origin: string): Authenticator {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let userHandle = '';
  const envelope = (response: Record<string, unknown>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response,
  });
  return {
    id: id.toString('base64url'),
    create: (options, deviation = {}) => {
      userHandle = options.user?.id ?? '';
      const data = Buffer.concat([
        authenticatorData(options, deviation, FLAGS.attested),
        attested(id, pair.publicKey, deviation.aaguid),
      ]);
      const object = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(data)],
      ]);
      return envelope({
        clientDataJSON: clientData(origin, 'webauthn.create', options, deviation).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(Object(object))).toString('base64url'),
        transports: ['internal'],
      });
    },
    get: (options, deviation = {}) => {
      const data = authenticatorData(options, deviation);
      const client = clientData(origin, 'webauthn.get', options, deviation);
      const key = deviation.otherKey ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : pair.privateKey;
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return envelope({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, key).toString('base64url'),
        userHandle: deviation.userHandle ?? userHandle,
      });
    },
  };
}

function clientData(origin: string, type: string, { challenge }: Options, deviation: Deviation): Buffer {
  return Buffer.from(
    JSON.stringify({
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? origin,
      crossOrigin: false,
    }),
  );
}

/** Builds authenticator data (WebAuthn §6.1). */
function authenticatorData({ rp, rpId }: Options, deviation: Deviation, more = 0): Buffer {
  const { userPresent = true, userVerified = true, synced = false, counter = 0 } = deviation;
  const flags =
    (userPresent ? FLAGS.userPresent : 0) +
    (userVerified ? FLAGS.userVerified : 0) +
    (synced ? FLAGS.backupEligible + FLAGS.backedUp : 0) +
    more;
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const relyingParty = createHash('sha256')
    .update(deviation.rpId ?? rp?.id ?? rpId ?? '')
    .digest();
  return Buffer.concat([relyingParty, Buffer.from([flags]), count]);
}

/** The credential id and its public key in COSE format (RFC 9053 §7.1.1). */
function attested(id: Buffer, key: KeyObject, aaguid = '00'.repeat(16)): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  return Buffer.concat([Buffer.from(aaguid, 'hex'), length, id, Buffer.from(isoCBOR.encode(Object(cose)))]);
}
