import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  expectAllRefused,
  expectRefused,
  forged,
  inside,
  makeKeys,
  provider,
  read,
  said,
  service,
  signatureOf,
  signedAssertion,
  stranger,
  unsigned,
} from '#tests/saml-corpus.ts';
import { assertionXml, encryptedAssertion, responseXml, signedResponse, signXml } from '#tests/saml-provider.ts';

before(makeKeys);

describe('signature wrapping: the forged assertion is never read', () => {
  test('XSW1: a forged response around the signature, which holds the original response', async () => {
    const original = signXml(responseXml(said, assertionXml(said)), provider, { element: 'Response' });
    const evil = responseXml({ ...said, responseId: '_evil' }, forged());
    const holding = signatureOf(original).replace('</ds:Signature>', `${unsigned(original)}</ds:Signature>`);
    await expectRefused(evil.replace('</samlp:Response>', `${holding}</samlp:Response>`), 'assertions');
  });

  test('XSW2: the original response beside its signature in the forged one', async () => {
    const original = signXml(responseXml(said, assertionXml(said)), provider, { element: 'Response' });
    const evil = responseXml({ ...said, responseId: '_evil' }, forged());
    const beside = `${unsigned(original)}${signatureOf(original)}`;
    await expectRefused(evil.replace('</samlp:Response>', `${beside}</samlp:Response>`), 'assertions');
  });

  test('XSW3: a forged assertion before the signed one', async () => {
    await expectRefused(responseXml(said, forged() + signedAssertion()), 'assertions');
  });

  test('XSW4: the signed assertion inside the forged one', async () => {
    const wrapped = forged().replace('</saml:Assertion>', `${signedAssertion()}</saml:Assertion>`);
    await expectRefused(responseXml(said, wrapped), 'assertions');
  });

  test('XSW5: the forged assertion carries the signature, the original follows', async () => {
    const original = signedAssertion();
    const carrying = inside(forged(), 'saml:Assertion', signatureOf(original));
    await expectRefused(responseXml(said, carrying + unsigned(original)), 'assertions');
  });

  test('XSW6: the forged assertion carries the signature, which holds the original', async () => {
    const original = signedAssertion();
    const holding = signatureOf(original).replace('</ds:Signature>', `${unsigned(original)}</ds:Signature>`);
    await expectRefused(responseXml(said, inside(forged(), 'saml:Assertion', holding)), 'assertions');
  });

  test('XSW7: the forged assertion in an element of extensions', async () => {
    const extensions = `<samlp:Extensions>${forged()}</samlp:Extensions>`;
    await expectRefused(inside(responseXml(said, signedAssertion()), 'samlp:Response', extensions), 'assertions');
  });

  test('XSW8: the original in an object of the signature of the forged one', async () => {
    const original = signedAssertion();
    const object = `<ds:Object>${unsigned(original)}</ds:Object></ds:Signature>`;
    const holding = signatureOf(original).replace('</ds:Signature>', object);
    await expectRefused(responseXml(said, inside(forged(), 'saml:Assertion', holding)), 'assertions');
  });

  test('the same ID twice', async () => {
    await expectRefused(
      responseXml({ ...said, responseId: '_same' }, signedAssertion({ assertionId: '_same' })),
      'xml',
    );
  });

  test('the original is encrypted, the forged one is not', async () => {
    const encrypted = await encryptedAssertion(signedAssertion(), service.certificate);
    await expectRefused(responseXml(said, forged() + encrypted), 'assertions');
  });

  test('two assertions in one encryption', async () => {
    const wrapped = forged().replace(
      '</saml:Assertion>',
      `<saml:Advice>${signedAssertion()}</saml:Advice></saml:Assertion>`,
    );
    await expectRefused(responseXml(said, await encryptedAssertion(wrapped, service.certificate)), 'assertions');
  });

  test('an unsigned assertion, encrypted with the public key that everybody has', async () => {
    await expectRefused(responseXml(said, await encryptedAssertion(forged(), service.certificate)), 'signature');
  });

  test('the assertion is changed after it was signed', async () => {
    await expectRefused(signedResponse(said, provider).replaceAll('ada@', 'admin@'), 'signature');
  });

  test('an assertion outside of the signed response', async () => {
    const original = signXml(responseXml(said, assertionXml(said)), provider, { element: 'Response' });
    await expectRefused(original.replace(/<saml:Assertion.*<\/saml:Assertion>/s, forged()), 'signature');
  });
});

describe('signatures', () => {
  test('none', async () => {
    await expectRefused(responseXml(said, assertionXml(said)), 'signature');
    await expectRefused(unsigned(signedResponse(said, provider)), 'signature');
  });

  test('by another key, whose certificate is in KeyInfo', async () => {
    await expectRefused(signedResponse(said, stranger), 'signature');
  });

  test('HMAC with the public certificate as its secret', async () => {
    const algorithm = 'http://www.w3.org/2000/09/xmldsig#hmac-sha1';
    const xml = signedResponse(said, provider).replace(/(SignatureMethod Algorithm=")[^"]+/, `$1${algorithm}`);
    await expectRefused(xml, 'signature');
  });

  test('SHA-1, as signature and as digest', async () => {
    const rsaSha1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
    const one = signXml(assertionXml(said), provider, { element: 'Assertion', signatureAlgorithm: rsaSha1 });
    await expectRefused(responseXml(said, one), 'signature');
    const sha1 = 'http://www.w3.org/2000/09/xmldsig#sha1';
    const other = signXml(assertionXml(said), provider, { element: 'Assertion', digestAlgorithm: sha1 });
    await expectRefused(responseXml(said, other), 'signature');
  });

  test('canonicalization with comments or of the inclusive kind', async () => {
    const methods = [
      'http://www.w3.org/2001/10/xml-exc-c14n#WithComments',
      'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
    ];
    const signed = methods.map((canonicalization) =>
      signXml(assertionXml(said), provider, { element: 'Assertion', canonicalization }),
    );
    await expectAllRefused(
      signed.map((xml) => responseXml(said, xml)),
      'signature',
    );
  });

  test('two SignedInfo, two references, a comment in the digest (CVE-2025-29774, CVE-2025-29775)', async () => {
    const xml = signedResponse(said, provider);
    const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)?.[0] ?? '';
    await expectRefused(xml.replace(info, info + info), 'signature');
    await expectRefused(xml.replace(info, `<ds:SignedInfo>${info}</ds:SignedInfo>`), 'signature');
    const reference = /<ds:Reference.*<\/ds:Reference>/s.exec(xml)?.[0] ?? '';
    await expectRefused(xml.replace(reference, reference + reference), 'signature');
    const changed = xml.replaceAll('ada@', 'admin@');
    await expectRefused(changed.replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->'), 'signature');
  });

  test('a reference to nothing, to the whole document, and to another element', async () => {
    const xml = signedResponse(said, provider);
    const uris = ['', '#', '#other', "#x' or '1'='1", 'https://evil.example.com/'];
    await expectAllRefused(
      uris.map((uri) => xml.replace(/URI="[^"]*"/, `URI="${uri}"`)),
      'signature',
    );
  });

  test('a transform that selects something else', async () => {
    const transform = '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/>';
    await expectRefused(
      signedResponse(said, provider).replace('<ds:Transform ', `${transform}<ds:Transform `),
      'signature',
    );
  });

  test('the signature in another namespace', async () => {
    const xml = signedResponse(said, provider);
    await expectRefused(
      xml.replaceAll('http://www.w3.org/2000/09/xmldsig#"', 'http://www.w3.org/2000/09/other#"'),
      'signature',
    );
  });

  test('the prefix of the assertion bound to another namespace', async () => {
    const xml = signedResponse(said, provider);
    await expectRefused(xml.replaceAll('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:other'), 'assertions');
    const root = xml.replace(
      '<samlp:Response ',
      '<samlp:Response xmlns="urn:oasis:names:tc:SAML:2.0:assertion" ID2="x" ',
    );
    assert.equal((await read(root)).nameId, 'ada@example.com');
  });
});

describe('XML', () => {
  test('a comment does not cut a value that it stands in (CVE-2017-11427 and others)', async () => {
    const address = 'admin@example.com.evil.example';
    const xml = signedResponse({ ...said, nameId: address }, provider);
    const commented = xml.replace(`>${address}<`, '>admin@example.com<!---->.evil.example<');
    assert.notEqual(commented, xml);
    assert.equal((await read(commented)).nameId, address);
  });

  test('neither does a CDATA section', async () => {
    const address = 'admin@example.com.evil.example';
    const xml = signedResponse({ ...said, nameId: address }, provider);
    const section = xml.replace(`>${address}<`, '><![CDATA[admin@example.com]]>.evil.example<');
    assert.equal((await read(section)).nameId, address);
  });

  test('a processing instruction, which is text to some and nothing to others', async () => {
    const xml = signedResponse(said, provider);
    await expectRefused(xml.replace('>ada@example.com<', '><?x ada?>@example.com<'), 'xml');
    await expectRefused(`<?xml-stylesheet href="x"?>${xml}`, 'xml');
  });

  test('a DTD, entities, a bomb of them', async () => {
    const xml = signedResponse(said, provider);
    await expectRefused(`<!DOCTYPE samlp:Response>${xml}`, 'xml');
    await expectRefused(`<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${xml}`, 'xml');
    await expectRefused(`<!doctype r [<!entity a "aaaa"><!entity b "&a;&a;&a;">]>${xml}`, 'xml');
    await expectRefused(xml.replace('>ada@example.com<', '>&unknown;<'), 'xml');
  });

  test('characters that XML does not have', async () => {
    const xml = signedResponse(said, provider);
    const characters = ['\u0000', '&#0;', '\u0085', '\u2028', '\ud800', '&#xD800;'];
    await expectAllRefused(
      characters.map((character) => xml.replace('>ada@example.com<', `>ada@example.com${character}<`)),
      'xml',
    );
  });

  test('no XML at all, two roots, an open element, another message', async () => {
    await expectAllRefused(['', 'x', '{}', '<a>', `${signedResponse(said, provider)}<b/>`, '<a/>'], 'xml');
  });

  test('a huge one, a deep one and a wide one', async () => {
    await expectRefused(responseXml(said, signedAssertion() + ' '.repeat(300_000)), 'xml');
    await expectRefused('<a>'.repeat(1_000) + '</a>'.repeat(1_000), 'xml');
    await expectRefused(`<a>${'<b/>'.repeat(10_000)}</a>`, 'xml');
    const prefixes = Array.from({ length: 5_000 }, (_, index) => ` xmlns:a${index}="u" a${index}:b="1"`).join('');
    await expectRefused(signedResponse(said, provider).replace('<saml:Subject>', `<saml:Subject${prefixes}>`), 'xml');
  });
});
