import assert from 'node:assert/strict';
import {
  type AssertionContent,
  type Check,
  type Expected,
  newServiceKey,
  readResponse,
  SamlFault,
  type ServiceKey,
} from '#saml';
import { assertionXml, type Said, signXml } from './saml-provider.ts';

export const now = new Date('2026-11-23T12:00:00.000Z');
export const SP = 'https://auth.example.com/saml/con_1';
export const said: Said = {
  now,
  issuer: 'https://idp.example.com',
  audience: SP,
  recipient: `${SP}/acs`,
  inResponseTo: '_request',
  nameId: 'ada@example.com',
  attributes: { email: 'ada@example.com' },
};

export let provider: ServiceKey;
export let stranger: ServiceKey;
export let service: ServiceKey;
let expected: Expected;

export async function makeKeys(): Promise<void> {
  [provider, stranger, service] = await Promise.all([
    newServiceKey('provider', now),
    newServiceKey('stranger', now),
    newServiceKey('service', now),
  ]);
  expected = {
    entityId: said.issuer,
    certificates: [provider.certificate],
    audience: said.audience,
    recipient: said.recipient,
    decryptionKeys: [service.privateKey],
    requestId: '_request',
    now,
  };
}

export function read(xml: string, changes: Partial<Expected> = {}): Promise<AssertionContent> {
  return readResponse(xml, { ...expected, ...changes });
}

export async function expectRefused(xml: string, check: Check, changes: Partial<Expected> = {}): Promise<void> {
  await assert.rejects(read(xml, changes), (fault) => {
    assert.ok(fault instanceof SamlFault, String(fault));
    assert.equal(fault.check, check, fault.message);
    return true;
  });
}

export async function expectAllRefused(xmls: readonly string[], check: Check): Promise<void> {
  await Promise.all(xmls.map((xml) => expectRefused(xml, check)));
}

export const signedAssertion = (changes: Partial<Said> = {}) =>
  signXml(assertionXml({ ...said, ...changes }), provider, { element: 'Assertion' });

/** What an attacker writes: as the identity provider would, with another person, unsigned. */
export const forged = (id = '_forged') =>
  assertionXml({ ...said, nameId: 'admin@example.com', attributes: { email: 'admin@example.com' }, assertionId: id });

const SIGNATURE = /<ds:Signature .*?<\/ds:Signature>/s;
export const signatureOf = (xml: string) => SIGNATURE.exec(xml)?.[0] ?? assert.fail('no signature');
export const unsigned = (xml: string) => xml.replace(SIGNATURE, '');
/** Puts content behind the first tag that begins so. */
export const inside = (xml: string, tag: string, content: string) =>
  xml.replace(new RegExp(`<${tag}[^>]*>`), (found) => found + content);
