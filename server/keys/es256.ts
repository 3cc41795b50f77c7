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
  const input = `${headerOf(key.id, typ)}.${encode(payload)}`;
  return `${input}.${signEs256(keyObject(key.privateKey), Buffer.from(input)).toString('base64url')}`;
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

const headers = new Map<string, string>();

/** The encoded header, which all tokens of a kind and key share. Keys change rarely, so this holds few. */
function headerOf(kid: string, typ: string): string {
  const name = `${typ} ${kid}`;
  const known = headers.get(name) ?? encode({ alg: 'ES256', typ, kid });
  headers.set(name, known);
  return known;
}

/**
 * Signs with P-256 and SHA-256.
 * @returns r and s concatenated, 32 bytes each
 */
export function signEs256(key: KeyObject, data: Uint8Array): Buffer {
  return toJoseSignature(sign('sha256', data, key));
}

const objects = new WeakMap<CryptoKey, KeyObject>();

function keyObject(key: CryptoKey): KeyObject {
  const known = objects.get(key);
  if (known) return known;
  const object = KeyObject.from(key);
  objects.set(key, object);
  return object;
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
