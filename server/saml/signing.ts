import { signatureLibrary } from './libraries.ts';
import { ENVELOPED, EXCLUSIVE, RSA_SHA256 } from './names.ts';
import type { ServiceKey } from './service-key.ts';

/**
 * Signs the one element of a name in a document that we wrote: the form that {@link signedElement} reads. The signature
 * follows the issuer of the element (SAML Core §5.4).
 */
export function signedXml(xml: string, name: string, { certificate, privateKey }: ServiceKey): string {
  const path = `//*[local-name(.)='${name}']`;
  const { SignedXml } = signatureLibrary();
  const signed = new SignedXml({
    privateKey,
    publicCert: certificate,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE,
  });
  const digestAlgorithm = 'http://www.w3.org/2001/04/xmlenc#sha256';
  signed.addReference({ xpath: path, digestAlgorithm, transforms: [ENVELOPED, EXCLUSIVE] });
  const location = { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' } as const;
  signed.computeSignature(xml, { prefix: 'ds', location });
  return signed.getSignedXml();
}
