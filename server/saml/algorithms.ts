import { constants, hash, verify, X509Certificate } from 'node:crypto';
import type { HashAlgorithm, SignatureAlgorithm } from 'xml-crypto';

type Hash = 'sha256' | 'sha384' | 'sha512';
type Method = { hash: Hash; key: 'rsa' | 'ec'; padding?: number };

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

/** The signature methods that are accepted, by their identifiers. There is none with SHA-1 and none with a shared key. */
const METHODS: Readonly<Record<string, Method>> = {
  [`${MORE}rsa-sha256`]: { hash: 'sha256', key: 'rsa' },
  [`${MORE}rsa-sha384`]: { hash: 'sha384', key: 'rsa' },
  [`${MORE}rsa-sha512`]: { hash: 'sha512', key: 'rsa' },
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1': {
    hash: 'sha256',
    key: 'rsa',
    padding: constants.RSA_PKCS1_PSS_PADDING,
  },
  [`${MORE}ecdsa-sha256`]: { hash: 'sha256', key: 'ec' },
  [`${MORE}ecdsa-sha384`]: { hash: 'sha384', key: 'ec' },
  [`${MORE}ecdsa-sha512`]: { hash: 'sha512', key: 'ec' },
};
const DIGESTS: Readonly<Record<string, Hash>> = {
  [`${XMLENC}sha256`]: 'sha256',
  [`${MORE}sha384`]: 'sha384',
  [`${XMLENC}sha512`]: 'sha512',
};

export const SIGNATURE_METHODS: ReadonlySet<string> = new Set(Object.keys(METHODS));
export const DIGEST_METHODS: ReadonlySet<string> = new Set(Object.keys(DIGESTS));

const MIN_RSA_BITS = 2_048;
const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1'];

/** Whether signatures by the key of a certificate are accepted. */
export function isAcceptedKey({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = publicKey;
  if (asymmetricKeyType === 'ec') return CURVES.includes(asymmetricKeyDetails?.namedCurve);
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_RSA_BITS;
}

/**
 * Whether a signature was made over a text with the key of a certificate. The method must be one for keys of its type.
 * @param algorithm its identifier; an unknown one makes no valid signature
 * @param signature base64; with ECDSA the two numbers in a row (XML Signature §6.4.3)
 */
export function isSignedBy(
  certificate: string,
  { algorithm, text, signature }: { algorithm: string; text: string; signature: string },
): boolean {
  const method = Object.hasOwn(METHODS, algorithm) ? METHODS[algorithm] : undefined;
  const key = new X509Certificate(certificate).publicKey;
  if (!method || key.asymmetricKeyType !== method.key) return false;
  const { hash: digest, padding = constants.RSA_PKCS1_PADDING } = method;
  const how =
    method.key === 'ec'
      ? ({ key, dsaEncoding: 'ieee-p1363' } as const)
      : { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  return verify(digest, Buffer.from(text), how, Buffer.from(signature, 'base64'));
}

/** The signature methods for the library that reads XML signatures: it knows no others. It signs with none of them. */
export const signatureAlgorithms: Record<string, new () => SignatureAlgorithm> = Object.fromEntries(
  [...SIGNATURE_METHODS].map((algorithm) => [
    algorithm,
    class {
      getAlgorithmName = () => algorithm;
      getSignature = (): never => {
        throw new Error('unreachable: it only verifies');
      };
      verifySignature = (text: string, certificate: unknown, signature: string) =>
        isSignedBy(String(certificate), { algorithm, text, signature });
    },
  ]),
);

/** The digest methods for the same library. */
export const hashAlgorithms: Record<string, new () => HashAlgorithm> = Object.fromEntries(
  Object.entries(DIGESTS).map(([algorithm, name]) => [
    algorithm,
    class {
      getAlgorithmName = () => algorithm;
      getHash = (xml: string) => hash(name, xml, 'base64');
    },
  ]),
);
