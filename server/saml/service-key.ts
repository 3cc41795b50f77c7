import { webcrypto } from 'node:crypto';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const YEARS = 10;

/** A key with its certificate, in PEM. */
export type ServiceKey = { certificate: string; privateKey: string };

/**
 * A new key of a connection: it signs requests and decrypts assertions. Its certificate only carries it, so it is
 * valid longer than any identity provider will keep it.
 */
export async function newServiceKey(name: string, now: Date): Promise<ServiceKey> {
  // Loaded when a connection is made: no request waits for it. The second needs the first.
  await import('reflect-metadata');
  const { PemConverter, X509CertificateGenerator } = await import('@peculiar/x509');
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: now,
    notAfter: until,
    signingAlgorithm: RSA,
    keys,
  });
  const privateKey = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  return { certificate: certificate.toString('pem'), privateKey };
}
