import assert from 'node:assert/strict';
import { createSign, webcrypto, X509Certificate } from 'node:crypto';
import { before, describe, test } from 'node:test';
import { SignedXml } from 'xml-crypto';
import { expectRefused, makeKeys, now, provider, read, said } from '#tests/saml-corpus.ts';
import { assertionXml, providerMetadata, responseXml } from '#tests/saml-provider.ts';
import { hashAlgorithms, isAcceptedKey, isSignedBy } from './algorithms.ts';
import { SamlFault } from './fault.ts';
import { parseMetadata } from './metadata.ts';
import { ENVELOPED, EXCLUSIVE } from './names.ts';
import type { ServiceKey } from './service-key.ts';

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const SHA384 = `${MORE}sha384`;
const SHA512 = 'http://www.w3.org/2001/04/xmlenc#sha512';

/** A key on a curve, with its certificate. */
async function ecKey(namedCurve: 'P-256' | 'P-384' | 'P-521'): Promise<ServiceKey> {
  await import('reflect-metadata');
  const { PemConverter, X509CertificateGenerator } = await import('@peculiar/x509');
  const signingAlgorithm = { name: 'ECDSA', namedCurve, hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({ name: 'CN=ec', signingAlgorithm, keys });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), privateKey: PemConverter.encode(pkcs8, 'PRIVATE KEY') };
}

let p256: ServiceKey;
let p384: ServiceKey;
let p521: ServiceKey;
before(async () => {
  [p256, p384, p521] = await Promise.all([ecKey('P-256'), ecKey('P-384'), ecKey('P-521'), makeKeys()]);
});

type How = { algorithm: string; digest?: string; dsaEncoding?: 'ieee-p1363' | 'der' };

/** A response with an assertion that is signed by an algorithm that the library does not sign with. */
function signedWith(key: ServiceKey, { algorithm, digest = SHA384, dsaEncoding = 'ieee-p1363' }: How): string {
  const signed = new SignedXml({
    privateKey: key.privateKey,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  signed.HashAlgorithms = hashAlgorithms;
  const hashName = /sha\d+$/.exec(algorithm)?.[0] ?? 'sha256';
  signed.SignatureAlgorithms = {
    [algorithm]: class {
      getAlgorithmName = () => algorithm;
      getSignature = (text: unknown) =>
        createSign(hashName).update(String(text)).sign({ key: key.privateKey, dsaEncoding }, 'base64');
      verifySignature = () => false;
    },
  };
  const path = "//*[local-name(.)='Assertion']";
  signed.addReference({ xpath: path, digestAlgorithm: digest, transforms: [ENVELOPED, EXCLUSIVE] });
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' } as const;
  signed.computeSignature(assertionXml(said), { prefix: 'ds', location });
  return responseXml(said, signed.getSignedXml());
}

const trusting = (...keys: ServiceKey[]) => ({ certificates: keys.map(({ certificate }) => certificate) });

describe('signatures that are accepted', () => {
  test('ECDSA on P-256 and P-384, with each hash', async () => {
    const made = [p256, p384].flatMap((key) =>
      ['sha256', 'sha384', 'sha512'].map((hash) => ({ key, algorithm: `${MORE}ecdsa-${hash}` })),
    );
    const read256 = made.map(({ key, algorithm }) => read(signedWith(key, { algorithm }), trusting(provider, key)));
    for (const { nameId } of await Promise.all(read256)) assert.equal(nameId, 'ada@example.com');
  });

  test('RSA with SHA-384 and SHA-512, and digests of both', async () => {
    const algorithms = [`${MORE}rsa-sha384`, `${MORE}rsa-sha512`];
    const made = algorithms.flatMap((algorithm) => [SHA384, SHA512].map((digest) => ({ algorithm, digest })));
    const all = await Promise.all(made.map((how) => read(signedWith(provider, how))));
    assert.deepEqual(new Set(all.map(({ nameId }) => nameId)), new Set(['ada@example.com']));
  });
});

describe('signatures that are refused', () => {
  test('of another key on the same curve, and on another curve', async () => {
    const algorithm = `${MORE}ecdsa-sha256`;
    const other = await ecKey('P-256');
    await expectRefused(signedWith(other, { algorithm }), 'signature', trusting(p256, p384));
  });

  test('ECDSA in the encoding of certificates instead of that of XML', async () => {
    const xml = signedWith(p256, { algorithm: `${MORE}ecdsa-sha256`, dsaEncoding: 'der' });
    await expectRefused(xml, 'signature', trusting(p256));
  });

  test('zeros, which once passed as a signature of anything (CVE-2022-21449)', async () => {
    const algorithm = `${MORE}ecdsa-sha256`;
    const zeros = Buffer.alloc(64).toString('base64');
    const xml = signedWith(p256, { algorithm }).replace(/(<ds:SignatureValue>)[^<]*/, `$1${zeros}`);
    await expectRefused(xml, 'signature', trusting(p256));
    assert.equal(isSignedBy(p256.certificate, { algorithm, text: 'x', signature: '' }), false);
  });

  test('an RSA method with a key on a curve, and the other way round', async () => {
    const rsa = signedWith(provider, { algorithm: `${MORE}rsa-sha256` });
    await expectRefused(rsa.replaceAll('rsa-sha256', 'ecdsa-sha256'), 'signature');
    const ec = signedWith(p256, { algorithm: `${MORE}ecdsa-sha256` });
    await expectRefused(ec.replaceAll('ecdsa-sha256', 'rsa-sha256'), 'signature', trusting(p256));
  });

  test('changed content, a hash that was exchanged, and ECDSA with SHA-1', async () => {
    const xml = signedWith(p384, { algorithm: `${MORE}ecdsa-sha384` });
    await expectRefused(xml.replaceAll('ada@', 'admin@'), 'signature', trusting(p384));
    await expectRefused(xml.replaceAll('ecdsa-sha384', 'ecdsa-sha512'), 'signature', trusting(p384));
    await expectRefused(xml.replaceAll('ecdsa-sha384', 'ecdsa-sha1'), 'signature', trusting(p384));
  });
});

test('metadata with a key on another curve are refused, those on P-256 and P-384 are read', () => {
  const metadataOf = ({ certificate }: ServiceKey) =>
    parseMetadata(
      providerMetadata({ entityId: 'x', signOn: 'https://idp.example.com/sso', certificates: [certificate] }),
      { now, insecure: false },
    );
  for (const key of [p256, p384]) assert.equal(metadataOf(key).certificates.length, 1);
  assert.throws(() => metadataOf(p521), SamlFault);
  assert.equal(isAcceptedKey(new X509Certificate(p521.certificate)), false);
});
