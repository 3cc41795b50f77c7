import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { makeKeys, now, provider, service, stranger } from '#tests/saml-corpus.ts';
import { encryptedAssertion } from '#tests/saml-provider.ts';
import { formFields, type Received, receivedInForm, receivedInQuery, redirectAddress } from './bindings.ts';
import { type Check, SamlFault } from './fault.ts';
import {
  type LogoutRequest,
  type LogoutResult,
  logoutRequestXml,
  logoutResponseXml,
  readLogoutRequest,
  readLogoutResponse,
} from './logout.ts';
import type { ExpectedMessage, MessageHead } from './messages.ts';
import { nameIdXml } from './name-id.ts';
import type { ServiceKey } from './service-key.ts';
import { signedXml } from './signing.ts';

const IDP = 'https://idp.example.com';
const destination = 'https://auth.example.com/logout?tenant=1';
const head: MessageHead = { id: '_logout', issuedAt: now, destination, issuer: IDP };
const ada = {
  nameId: 'ada & "co" <x>',
  nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  nameQualifier: IDP,
  spNameQualifier: null,
};
let expected: ExpectedMessage;

before(async () => {
  await makeKeys();
  expected = { entityId: IDP, certificates: [provider.certificate], recipient: destination, now };
});

const request = (changes: Partial<MessageHead> = {}, indexes = ['session-1', 'session-2']) =>
  logoutRequestXml({ ...head, ...changes }, ada, indexes);

type Way = { key?: ServiceKey; relayState?: string | null };
async function byRedirect(xml: string, { key = provider, relayState = 'x y&z' }: Way = {}) {
  const to = await redirectAddress({ kind: 'SAMLRequest', xml, destination, relayState }, key.privateKey);
  return to.slice(destination.length + 1);
}

const byForm = (xml: string) => receivedInForm(formFields({ kind: 'SAMLRequest', xml, relayState: 'state' }));

function read(received: Received, changes: Partial<ExpectedMessage> = {}): Promise<LogoutRequest> {
  return readLogoutRequest(received, { ...expected, ...changes }, [service.privateKey]);
}

async function expectRefused(message: () => Promise<unknown>, check: Check): Promise<void> {
  await assert.rejects(message, (fault) => {
    assert.ok(fault instanceof SamlFault, String(fault));
    assert.equal(fault.check, check, fault.message);
    return true;
  });
}

describe('a request to log out', () => {
  test('by redirect says whose sessions end, with its detached signature', async () => {
    const received = await receivedInQuery(await byRedirect(request()));
    assert.equal(received.relayState, 'x y&z');
    assert.deepEqual(await read(received), {
      id: '_logout',
      usableUntil: new Date('2026-11-23T12:06:00.000Z'),
      ...ada,
      sessionIndexes: ['session-1', 'session-2'],
    });
    const bare = await receivedInQuery(await byRedirect(request({}, []), { relayState: null }));
    assert.deepEqual([bare.relayState, (await read(bare)).sessionIndexes], [null, []]);
  });

  test('by redirect is verified over the characters that were sent', async () => {
    const query = await byRedirect(request());
    const lower = query.replace(/&Signature=.*$/, '').replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
    const signature = /&Signature=.*$/.exec(query)?.[0] ?? '';
    await expectRefused(async () => read(await receivedInQuery(lower + signature)), 'signature');
    const reordered = `Signature=${signature.slice(11)}&${query.replace(signature, '')}`;
    assert.equal((await read(await receivedInQuery(reordered))).id, '_logout');
  });

  test('by a form says the same', async () => {
    const received = byForm(signedXml(request(), 'LogoutRequest', provider));
    assert.deepEqual([received.relayState, (await read(received)).nameId], ['state', ada.nameId]);
  });

  test('may name the person encrypted', async () => {
    const data = (await encryptedAssertion(nameIdXml(ada), service.certificate)).replaceAll(
      'EncryptedAssertion',
      'EncryptedID',
    );
    const xml = request().replace(/<saml:NameID.*<\/saml:NameID>/s, data);
    assert.equal((await read(await receivedInQuery(await byRedirect(xml)))).nameId, ada.nameId);
    const both = request().replace('</saml:NameID>', `</saml:NameID>${data}`);
    await expectRefused(async () => read(await receivedInQuery(await byRedirect(both))), 'subject');
  });

  test('is refused without a signature', async () => {
    const query = (await byRedirect(request())).replace(/&SigAlg=.*$/, '');
    await expectRefused(async () => read(await receivedInQuery(query)), 'signature');
    await expectRefused(async () => read(byForm(request())), 'signature');
    // A signature of the address does not stand in for one in the form, and the other way round.
    const inside = signedXml(request(), 'LogoutRequest', provider);
    const unsigned = (await byRedirect(inside)).replace(/&SigAlg=.*$/, '');
    await expectRefused(async () => read(await receivedInQuery(unsigned)), 'signature');
  });

  test('is refused with a signature of another key', async () => {
    await expectRefused(
      async () => read(await receivedInQuery(await byRedirect(request(), { key: stranger }))),
      'signature',
    );
    await expectRefused(async () => read(byForm(signedXml(request(), 'LogoutRequest', stranger))), 'signature');
  });

  test('is refused with a weak algorithm, or one that does not fit the key', async () => {
    const query = await byRedirect(request());
    const algorithms = ['http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'];
    const fitting = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
    for (const algorithm of [...algorithms, fitting, '', 'constructor']) {
      const other = query.replace(/SigAlg=[^&]*/, `SigAlg=${encodeURIComponent(algorithm)}`);
      // biome-ignore lint/performance/noAwaitInLoops: a few
      await expectRefused(async () => read(await receivedInQuery(other)), 'signature');
    }
  });

  test('is refused when anything that was signed is changed', async () => {
    const query = await byRedirect(request());
    const other = (await byRedirect(request({}, ['session-9']))).replace(/&Signature=.*$/, '');
    const swapped = other + (/&Signature=.*$/.exec(query)?.[0] ?? '');
    await expectRefused(async () => read(await receivedInQuery(swapped)), 'signature');
    await expectRefused(
      async () => read(await receivedInQuery(query.replace('RelayState=', 'RelayState=a'))),
      'signature',
    );
    const xml = signedXml(request(), 'LogoutRequest', provider).replace('session-1', 'session-9');
    await expectRefused(async () => read(byForm(xml)), 'signature');
  });

  test('is refused with two messages in one address', async () => {
    const query = await byRedirect(request());
    const [message = ''] = query.split('&');
    await expectRefused(() => receivedInQuery(`${message}&${query}`), 'xml');
    await expectRefused(() => receivedInQuery(`${query}&SAMLResponse=x`), 'xml');
    await expectRefused(() => receivedInQuery('RelayState=x'), 'xml');
  });

  test('is refused when it unpacks to more than a message may have', async () => {
    const bomb = encodeURIComponent(deflateRawSync(' '.repeat(10_000_000)).toString('base64'));
    await expectRefused(() => receivedInQuery(`SAMLRequest=${bomb}`), 'xml');
    await expectRefused(() => receivedInQuery('SAMLRequest=AAAA'), 'xml');
    await expectRefused(() => receivedInQuery('SAMLRequest=%'), 'xml');
  });

  const refused: [string, Partial<MessageHead>, Check][] = [
    ['from another sender', { issuer: 'https://evil.example.com' }, 'issuer'],
    ['for another address', { destination: 'https://auth.example.com/logout' }, 'destination'],
    ['of six minutes ago', { issuedAt: new Date(now.getTime() - 361_000) }, 'time'],
    ['of the future', { issuedAt: new Date(now.getTime() + 61_000) }, 'time'],
  ];
  for (const [what, changes, check] of refused)
    test(`is refused ${what}`, async () => {
      await expectRefused(async () => read(await receivedInQuery(await byRedirect(request(changes)))), check);
      await expectRefused(async () => read(byForm(signedXml(request(changes), 'LogoutRequest', provider))), check);
    });

  test('is refused after its NotOnOrAfter', async () => {
    const xml = request().replace(
      /NotOnOrAfter="[^"]*"/,
      `NotOnOrAfter="${new Date(now.getTime() - 61_000).toISOString()}"`,
    );
    await expectRefused(async () => read(await receivedInQuery(await byRedirect(xml))), 'time');
  });

  test('is refused without a NameID, and when it is another message', async () => {
    const nobody = request().replace(/<saml:NameID.*<\/saml:NameID>/s, '');
    await expectRefused(async () => read(await receivedInQuery(await byRedirect(nobody))), 'subject');
    const response = logoutResponseXml(head, '_1', 'success');
    await expectRefused(async () => read(await receivedInQuery(await byRedirect(response))), 'xml');
  });

  test('wrapped around a signed one is not read', async () => {
    const signed = signedXml(request(), 'LogoutRequest', provider);
    const signature = /<ds:Signature .*?<\/ds:Signature>/s.exec(signed)?.[0] ?? '';
    const evil = request({ id: '_evil' }, ['session-9']).replace(
      '</saml:Issuer>',
      `</saml:Issuer>${signature.replace('</ds:Signature>', `<ds:Object>${signed.replace(signature, '')}</ds:Object></ds:Signature>`)}`,
    );
    await expectRefused(async () => read(byForm(evil)), 'signature');
  });
});

describe('a response to our request to log out', () => {
  const readResponse = (xml: string, requestId = '_1') =>
    readLogoutResponse(receivedInForm(formFields({ kind: 'SAMLResponse', xml, relayState: null })), {
      ...expected,
      requestId,
    });
  const signed = (result: LogoutResult) => signedXml(logoutResponseXml(head, '_1', result), 'LogoutResponse', provider);

  test('says how it ended', () => {
    const results: LogoutResult[] = ['success', 'partial', 'refused'];
    assert.deepEqual(
      results.map((result) => readResponse(signed(result)).result),
      results,
    );
  });

  test('is refused for another request, and without a signature', async () => {
    await expectRefused(async () => readResponse(signed('success'), '_2'), 'in_response_to');
    await expectRefused(async () => readResponse(logoutResponseXml(head, '_1', 'success')), 'signature');
  });
});
