import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  expectRefused,
  makeKeys,
  now,
  provider,
  read,
  SP,
  said,
  service,
  signedAssertion,
  stranger,
} from '#tests/saml-corpus.ts';
import {
  assertionXml,
  encryptedAssertion,
  responseXml,
  type Said,
  signedResponse,
  signXml,
} from '#tests/saml-provider.ts';
import { type Check, SamlFault } from './fault.ts';

before(makeKeys);

describe('responses that are accepted', () => {
  test('a signed assertion', async () => {
    const content = await read(signedResponse({ ...said, assertionId: '_a' }, provider));
    assert.deepEqual(content, {
      id: '_a',
      nameId: 'ada@example.com',
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      nameQualifier: null,
      spNameQualifier: null,
      sessionIndex: 'session-1',
      authenticatedAt: now,
      context: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      attributes: { email: ['ada@example.com'] },
      usableUntil: new Date('2026-11-23T12:06:00.000Z'),
    });
  });

  test('a signed response, and both signed', async () => {
    const outer = signXml(responseXml(said, assertionXml(said)), provider, { element: 'Response' });
    assert.equal((await read(outer)).nameId, 'ada@example.com');
    const both = signXml(responseXml(said, signedAssertion()), provider, { element: 'Response' });
    assert.equal((await read(both)).nameId, 'ada@example.com');
  });

  test('an encrypted assertion, signed inside or outside', async () => {
    const inner = responseXml(said, await encryptedAssertion(signedAssertion(), service.certificate));
    assert.equal((await read(inner)).nameId, 'ada@example.com');
    const plain = responseXml(said, await encryptedAssertion(assertionXml(said), service.certificate));
    const outer = signXml(plain, provider, { element: 'Response' });
    assert.equal((await read(outer)).nameId, 'ada@example.com');
  });

  test('a signature by the second of two certificates, and an encryption for the earlier of two keys', async () => {
    const certificates = [stranger.certificate, provider.certificate];
    assert.equal((await read(signedResponse(said, provider), { certificates })).nameId, 'ada@example.com');
    const rotated = responseXml(said, await encryptedAssertion(signedAssertion(), service.certificate));
    const decryptionKeys = [stranger.privateKey, service.privateKey];
    assert.equal((await read(rotated, { decryptionKeys })).nameId, 'ada@example.com');
  });

  test('a clock that differs by up to a minute is accepted', async () => {
    const late = new Date(now.getTime() + 359_000);
    assert.equal((await read(signedResponse(said, provider), { now: late })).nameId, 'ada@example.com');
  });

  test('an unsolicited response, where no request is expected', async () => {
    const xml = signedResponse({ ...said, inResponseTo: null }, provider);
    assert.equal((await read(xml, { requestId: null })).nameId, 'ada@example.com');
  });
});

describe('what the assertion is for', () => {
  const refused: [string, Partial<Said>, Check][] = [
    ['another audience', { audience: 'https://other.example.com' }, 'audience'],
    ['another organization’s connection', { audience: 'https://auth.example.com/saml/con_2' }, 'audience'],
    ['another recipient', { recipient: `${SP}/other`, destination: `${SP}/acs` }, 'recipient'],
    ['another destination', { destination: 'https://evil.example.com/acs' }, 'destination'],
    ['another issuer', { issuer: 'https://evil.example.com' }, 'issuer'],
    ['the request of another browser', { inResponseTo: '_other' }, 'in_response_to'],
    ['no request', { inResponseTo: null }, 'in_response_to'],
    ['a later time', { notBefore: 120 }, 'time'],
    ['an earlier time', { notOnOrAfter: -61 }, 'time'],
    ['a time of issue to come', { issued: 120 }, 'time'],
    ['nobody', { nameId: '' }, 'subject'],
  ];
  for (const [what, changes, check] of refused)
    test(`is refused for ${what}`, () => expectRefused(signedResponse({ ...said, ...changes }, provider), check));

  test('an assertion that answers a request begins no sign-in by itself', () =>
    expectRefused(signedResponse(said, provider), 'in_response_to', { requestId: null }));

  test('the signed assertion counts, not the unsigned response around it', async () => {
    const other = signXml(assertionXml({ ...said, inResponseTo: '_other' }), provider, { element: 'Assertion' });
    await expectRefused(responseXml(said, other), 'in_response_to');
  });

  for (const [what, find, replace] of [
    ['audience', /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/s, ''],
    ['conditions', /<saml:Conditions.*<\/saml:Conditions>/s, ''],
    ['bearer confirmation', 'cm:bearer', 'cm:holder-of-key'],
    ['end of the confirmation', / NotOnOrAfter="[^"]*"(?= InResponseTo)/, ''],
    ['sign-in', /<saml:AuthnStatement.*<\/saml:AuthnStatement>/s, ''],
  ] as const)
    test(`an assertion without ${what} is refused`, async () => {
      const xml = assertionXml(said);
      const changed = xml.replace(find, replace);
      assert.notEqual(changed, xml);
      const signed = signXml(changed, provider, { element: 'Assertion' });
      await assert.rejects(read(responseXml(said, signed)), SamlFault);
    });

  test('an unknown condition is refused', async () => {
    const condition = '<saml:Condition xmlns:x="urn:x" x:other="1"/></saml:Conditions>';
    const xml = assertionXml(said).replace('</saml:Conditions>', condition);
    await expectRefused(responseXml(said, signXml(xml, provider, { element: 'Assertion' })), 'audience');
  });

  test('a failed sign-in says what the identity provider said', async () => {
    const failed = responseXml(said, '').replace('status:Success', 'status:Responder');
    await assert.rejects(read(failed), (fault) => {
      assert.ok(fault instanceof SamlFault && fault.check === 'status');
      assert.match(fault.message, /status:Responder/);
      return true;
    });
  });
});

describe('encryption', () => {
  test('RSA 1.5 and CBC are refused', async () => {
    for (const algorithms of [
      { key: 'http://www.w3.org/2001/04/xmlenc#rsa-1_5' },
      { content: 'http://www.w3.org/2001/04/xmlenc#aes256-cbc' },
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const encrypted = await encryptedAssertion(signedAssertion(), service.certificate, algorithms);
      await expectRefused(responseXml(said, encrypted), 'encryption');
    }
  });

  test('for another key, or cut short', async () => {
    const foreign = await encryptedAssertion(signedAssertion(), stranger.certificate);
    await expectRefused(responseXml(said, foreign), 'encryption');
    const own = await encryptedAssertion(signedAssertion(), service.certificate);
    const cut = own.replace(/(<xenc:CipherValue>)[A-Za-z0-9+/=\s]{200}([^<]*<\/xenc:CipherValue>)/, '$1$2');
    assert.notEqual(cut, own);
    await expectRefused(responseXml(said, cut), 'encryption');
  });
});
