import { base64url, encodeText, randomText, sha256, webCrypto } from './encoding.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };

/** Makes proofs of the key that tokens are bound to (RFC 9449). The key cannot leave the browser. */
export class Prover {
  readonly #name: string;
  readonly #now: () => number;
  readonly #nonces = new Map<string, string>();
  #key: Promise<CryptoKeyPair> | null = null;

  constructor(name: string, now: () => number) {
    this.#name = name;
    this.#now = now;
  }

  /** @param token the access token that the proof goes with */
  async proof(method: string, url: string, token?: string): Promise<string> {
    this.#key ??= keptKey(this.#name);
    const { privateKey, publicKey } = await this.#key;
    const { origin, pathname } = new URL(url);
    const { kty, crv, x, y } = await webCrypto().exportKey('jwk', publicKey);
    const nonce = this.#nonces.get(origin);
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } };
    const payload = {
      jti: randomText(),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(this.#now() / 1000),
      ...(nonce !== undefined && { nonce }),
      ...(token !== undefined && { ath: await sha256(token) }),
    };
    const signed = `${encodeText(JSON.stringify(header))}.${encodeText(JSON.stringify(payload))}`;
    const bytes = new TextEncoder().encode(signed);
    const signature = await webCrypto().sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes);
    return `${signed}.${base64url(signature)}`;
  }

  /** Keeps the nonce of a response for the next proof. */
  learn(response: Response): void {
    const nonce = response.headers.get('dpop-nonce');
    if (nonce !== null) this.#nonces.set(new URL(response.url).origin, nonce);
  }

  /** Takes another key from now on. */
  async forget(): Promise<void> {
    this.#key = null;
    await inKeys('readwrite', (keys) => keys.delete(this.#name)).catch(() => null);
  }

  /** Another tab has forgotten the key. */
  release(): void {
    this.#key = null;
  }
}

/** The key of this browser. All tabs use the same. */
async function keptKey(name: string): Promise<CryptoKeyPair> {
  const made = await webCrypto().generateKey(ALGORITHM, false, ['sign']);
  try {
    // It only adds: another tab may have stored a key in the meantime.
    await inKeys('readwrite', (keys) => keys.add(made, name)).catch(() => null);
    const kept: unknown = await inKeys('readonly', (keys) => keys.get(name));
    return isKeyPair(kept) ? kept : made;
  } catch {
    // No database, as in some private windows: the key is this page's.
    return made;
  }
}

function isKeyPair(value: unknown): value is CryptoKeyPair {
  return Object(value).privateKey instanceof CryptoKey;
}

function inKeys(mode: IDBTransactionMode, use: (keys: IDBObjectStore) => IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('latchkey', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('keys');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction('keys', mode);
      const request = use(transaction.objectStore('keys'));
      transaction.oncomplete = () => {
        database.close();
        resolve(request.result);
      };
      transaction.onabort = () => {
        database.close();
        reject(transaction.error);
      };
    };
  });
}
