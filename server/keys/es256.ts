import { KeyObject, sign } from 'node:crypto';
import type { CryptoKey } from 'jose';

/**
 * Signs a JWS in compact form with ES256 (RFC 7515 §3.1, RFC 7518 §3.4). Synchronous, because Web Crypto takes longer
 * to hand the work to a thread and back than the signature takes.
 */
export function signCompact(
  key: { id: string; privateKey: CryptoKey },
  typ: string,
  payload: Record<string, unknown>,
): string {
  const { object, headers } = preparedKey(key.privateKey);
  const header = headers.get(typ) ?? encode({ alg: 'ES256', typ, kid: key.id });
  headers.set(typ, header);
  const input = `${header}.${encode(payload)}`;
  return `${input}.${signEs256(object, Buffer.from(input)).toString('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/**
 * Signs with P-256 and SHA-256.
 * @returns r and s concatenated, 32 bytes each
 */
export function signEs256(key: KeyObject, data: Uint8Array): Buffer {
  return toJoseSignature(sign('sha256', data, key));
}

/** What all signatures of a key share: the key as Node signs with it, and the encoded header of each `typ`. */
type PreparedKey = { object: KeyObject; headers: Map<string, string> };

const preparedKeys = new WeakMap<CryptoKey, PreparedKey>();

function preparedKey(key: CryptoKey): PreparedKey {
  const known = preparedKeys.get(key);
  if (known) return known;
  const prepared = { object: KeyObject.from(key), headers: new Map<string, string>() };
  preparedKeys.set(key, prepared);
  return prepared;
}

/** Converts DER to the JWS form. Node's `dsaEncoding` would do it too, but takes twice as long as the signature. */
function toJoseSignature(der: Buffer): Buffer {
  const signature = Buffer.alloc(64);
  // 30 length 02 length-of-r r 02 length-of-s s; an integer may have a leading zero byte, or be short.
  const endOfR = 4 + der.readUInt8(3);
  const place = (from: number, to: number, end: number) => {
    const number = der.subarray(Math.max(from, to - 32), to);
    number.copy(signature, end - number.length);
  };
  place(4, endOfR, 32);
  place(endOfR + 2, der.length, 64);
  return signature;
}
