import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { makeKeys, provider, stranger } from '#tests/saml-corpus.ts';
import { deflated, redirectQuery } from '#tests/saml-messages.ts';
import { signXml } from '#tests/saml-provider.ts';
import { readAuthnRequest } from './authn-request.ts';
import { receivedInForm, receivedInQuery } from './bindings.ts';
import { type Check, SamlFault } from './fault.ts';

const SP = 'https://sp.example.com';
const HERE = 'https://auth.example.com/saml/app/sign-in';
before(makeKeys);

const expected = () => ({
  entityId: SP,
  certificates: [provider.certificate],
  requireSigned: false,
  destinations: [HERE, 'https://login.example.com/saml/app/sign-in'],
});
const signedOnly = () => ({ ...expected(), requireSigned: true });

function requestXml(attributes = '', content = ''): string {
  return `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_request" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${HERE}"${attributes}><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${SP}</saml:Issuer>${content}</samlp:AuthnRequest>`;
}

const posted = (xml: string) => receivedInForm({ SAMLRequest: Buffer.from(xml).toString('base64') });
const signedXml = (xml: string, key = provider) => signXml(xml, key, { element: 'AuthnRequest' });

async function expectRefused(check: Check, read: () => unknown): Promise<void> {
  await assert.rejects(
    async () => read(),
    (fault) => fault instanceof SamlFault && (fault.check === check || assert.fail(`${fault.check}: ${fault.message}`)),
  );
}

describe('a request to sign in', () => {
  test('is read with what it asks for', () => {
    const contexts =
      '<samlp:RequestedAuthnContext Comparison="minimum"><saml:AuthnContextClassRef xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">urn:x</saml:AuthnContextClassRef></samlp:RequestedAuthnContext>';
    const policy = '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"/>';
    const more = ' ForceAuthn="true" IsPassive="0" AssertionConsumerServiceIndex="3"';
    assert.deepEqual(readAuthnRequest(posted(requestXml(more, policy + contexts)), expected()), {
      id: '_request',
      consumer: { index: 3 },
      forceAuthn: true,
      isPassive: false,
      nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
      contexts: { comparison: 'minimum', classes: ['urn:x'] },
    });
  });

  test('is accepted at each address, and for no other', async () => {
    const to = (address: string) => posted(requestXml().replace(HERE, address));
    assert.equal(
      readAuthnRequest(to('https://login.example.com/saml/app/sign-in?organization=acme'), expected()).id,
      '_request',
    );
    await expectRefused('destination', () =>
      readAuthnRequest(to('https://auth.example.com/saml/other/sign-in'), expected()),
    );
    const unaddressed = requestXml().replace(` Destination="${HERE}"`, '');
    assert.equal(readAuthnRequest(posted(unaddressed), expected()).id, '_request');
    await expectRefused('destination', () => readAuthnRequest(posted(signedXml(unaddressed)), expected()));
  });

  test('of another service provider is refused', async () => {
    await expectRefused('issuer', () =>
      readAuthnRequest(posted(requestXml().replace(`>${SP}<`, '>https://evil.example<')), expected()),
    );
  });

  for (const [what, xml] of [
    ['that is a response', requestXml().replaceAll('AuthnRequest', 'Response')],
    ['without an ID', requestXml().replace(' ID="_request"', '')],
    ['with an ID that is markup', requestXml().replace('_request', 'a&quot; b=&quot;')],
    ['with ForceAuthn that is neither true nor false', requestXml(' ForceAuthn="maybe"')],
    ['with a DTD', `<!DOCTYPE x [<!ENTITY a "b">]>${requestXml()}`],
    ['with an external entity', `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${requestXml('', '&a;')}`],
    ['with a huge name', requestXml('', `<x>${'a'.repeat(300_000)}</x>`)],
  ] as const)
    test(`${what} is refused`, () => expectRefused('xml', () => readAuthnRequest(posted(xml), expected())));

  test('that grows when it is decompressed is refused', () =>
    expectRefused('xml', () => receivedInQuery(redirectQuery(requestXml('', `<x>${' '.repeat(40_000_000)}</x>`)))));

  test('with two addresses of the consumer service is refused', () =>
    expectRefused('recipient', () =>
      readAuthnRequest(
        posted(requestXml(' AssertionConsumerServiceURL="https://x" AssertionConsumerServiceIndex="1"')),
        expected(),
      ),
    ));
});

describe('the signature of a request', () => {
  test('is needed where the application says so, by either binding', async () => {
    await expectRefused('signature', () => readAuthnRequest(posted(requestXml()), signedOnly()));
    await expectRefused('signature', async () =>
      readAuthnRequest(await receivedInQuery(redirectQuery(requestXml())), signedOnly()),
    );
    assert.equal(readAuthnRequest(posted(signedXml(requestXml())), signedOnly()).id, '_request');
    const query = redirectQuery(requestXml(), { key: provider, relayState: 'a b' });
    const received = await receivedInQuery(query);
    assert.deepEqual([readAuthnRequest(received, signedOnly()).id, received.relayState], ['_request', 'a b']);
  });

  test('is checked also where it is not needed', async () => {
    await expectRefused('signature', () => readAuthnRequest(posted(signedXml(requestXml(), stranger)), expected()));
    const query = redirectQuery(requestXml(), { key: stranger });
    await expectRefused('signature', async () => readAuthnRequest(await receivedInQuery(query), expected()));
  });

  test('without a certificate to check it with does not make a request signed', () =>
    expectRefused('signature', () =>
      readAuthnRequest(posted(signedXml(requestXml())), { ...signedOnly(), certificates: [] }),
    ));

  test('covers the parameters of an address, in whatever order they stand', async () => {
    const query = redirectQuery(requestXml(), { key: provider, relayState: 'here' });
    const reordered = query.split('&').reverse().join('&');
    assert.equal(readAuthnRequest(await receivedInQuery(reordered), signedOnly()).id, '_request');
    for (const changed of [
      query.replace('RelayState=here', 'RelayState=there'),
      query.replace('RelayState=here&', ''),
      query.replace(/SAMLRequest=[^&]+/, `SAMLRequest=${encodeURIComponent(deflated(requestXml(' ForceAuthn="1"')))}`),
      query.replace('sha256', 'sha1'),
    ]) {
      // biome-ignore lint/performance/noAwaitInLoops: few and fast
      await expectRefused('signature', async () => readAuthnRequest(await receivedInQuery(changed), signedOnly()));
    }
    await expectRefused('xml', () => receivedInQuery(`${query}&RelayState=there`));
  });

  test('over another element does not count', async () => {
    const inner = signedXml(requestXml());
    const wrapped = requestXml('', `<x>${inner}</x>`).replace('ID="_request"', 'ID="_other"');
    await expectRefused('signature', () => readAuthnRequest(posted(wrapped), signedOnly()));
    const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(inner)?.[0] ?? '';
    const moved = requestXml(' ForceAuthn="1"').replace('</saml:Issuer>', `</saml:Issuer>${signature}`);
    await expectRefused('signature', () => readAuthnRequest(posted(moved), signedOnly()));
  });

  test('inside of the XML does not count for an address', async () => {
    const query = redirectQuery(signedXml(requestXml()));
    await expectRefused('signature', async () => readAuthnRequest(await receivedInQuery(query), signedOnly()));
  });
});
