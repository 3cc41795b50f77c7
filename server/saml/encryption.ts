import { SamlFault } from './fault.ts';
import { encryptionLibrary } from './libraries.ts';
import { AES_128_GCM, AES_256_GCM } from './names.ts';
import { attribute, descendantsNamed, type Element } from './xml.ts';

const ENCRYPTION = 'http://www.w3.org/2001/04/xmlenc#';
const CONTENT_METHODS = new Set([AES_128_GCM, AES_256_GCM]);
const KEY_METHODS = new Set([
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
  'http://www.w3.org/2009/xmlenc11#rsa-oaep',
]);

/**
 * Decrypts an encrypted assertion. Encryption proves nothing about who wrote it: what comes out is as untrusted as what
 * went in. RSA 1.5 and CBC are refused before anything is decrypted, because both leak the content to an attacker
 * who can try often (Bleichenbacher; Jager and Somorovsky 2011). The fault is the same for all causes.
 * @param keys private keys in PEM, the newest first
 * @throws SamlFault
 */
export async function decrypted(encrypted: Element, keys: readonly string[]): Promise<string> {
  const methods = descendantsNamed(encrypted, ENCRYPTION, 'EncryptionMethod').map((element) => ({
    algorithm: attribute(element, 'Algorithm') ?? 'none',
    accepted: element.parentNode?.localName === 'EncryptedKey' ? KEY_METHODS : CONTENT_METHODS,
  }));
  for (const { algorithm, accepted } of methods)
    if (!accepted.has(algorithm))
      throw new SamlFault('encryption', `The assertion is encrypted with ${algorithm}, which is not accepted.`);
  const source = encrypted.toString();
  for (const key of keys) {
    // biome-ignore lint/performance/noAwaitInLoops: the next key is tried when this one does not fit
    const plain = await withKey(source, key);
    if (plain !== undefined) return plain;
  }
  throw new SamlFault('encryption', 'The assertion can not be decrypted with the key of this connection.');
}

function withKey(source: string, key: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    encryptionLibrary().decrypt(source, { key }, (error, plain) => resolve(error ? undefined : plain));
  });
}
