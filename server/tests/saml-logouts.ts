import assert from 'node:assert/strict';
import { inflateRawSync } from 'node:zlib';
import { formFields, logoutRequestXml, logoutResponseXml, redirectAddress, type ServiceKey, signedXml } from '#saml';
import type { TestLatchkey } from './harness.ts';
import { type Browser, browserOf } from './oidc.ts';
import {
  newServiceProvider,
  readAt,
  type ServiceProvider,
  sentForm,
  serviceKey,
  signInAtProvider,
} from './saml-service-provider.ts';

export const SLO = 'https://sp.example.com/slo';
export type Page = { url: string; status: number; text: string };

/** A service provider that takes part in single logout. */
export async function newParticipant(
  latchkey: TestLatchkey,
  saml: Record<string, unknown> = {},
): Promise<ServiceProvider & { key: ServiceKey }> {
  const key = await serviceKey();
  const logout = { url: SLO, binding: 'redirect' };
  const at = await newServiceProvider(latchkey, { signingCertificates: [key.certificate], logout, ...saml });
  return { ...at, key };
}
export type ParticipatingProvider = Awaited<ReturnType<typeof newParticipant>>;

/** How a service provider knows a person and the session. */
export type Known = { nameId: string; sessionIndex: string };

/** Signs a person in at a service provider. */
export async function signInAt(
  latchkey: TestLatchkey,
  at: ServiceProvider,
  person: { email: string },
  browser: Browser = browserOf(latchkey),
): Promise<Known & { browser: Browser }> {
  const { page, id } = await signInAtProvider(latchkey, at, { person, browser });
  const { nameId, sessionIndex } = await readAt(at, page, { requestId: id });
  assert.ok(sessionIndex);
  return { nameId, sessionIndex, browser };
}

type Asking = {
  nameId: string;
  indexes?: string[];
  id?: string;
  issuedAt?: Date;
  issuer?: string;
  destination?: string;
};

export function logoutXml(at: ServiceProvider, { nameId, indexes = [], ...head }: Asking): string {
  const person = { nameId, nameIdFormat: null, nameQualifier: null, spNameQualifier: null };
  const common = { id: `_${crypto.randomUUID()}`, issuedAt: new Date(), destination: at.own.logoutUrl };
  return logoutRequestXml({ ...common, issuer: at.entityId, ...head }, person, indexes);
}

/** The address with which a service provider asks for a logout, signed. */
export function askingAddress(
  at: ParticipatingProvider,
  asking: Asking,
  { key = at.key, relayState = 'theirs' }: { key?: ServiceKey; relayState?: string | null } = {},
): Promise<string> {
  const sent = { kind: 'SAMLRequest', xml: logoutXml(at, asking), destination: at.own.logoutUrl, relayState } as const;
  return redirectAddress(sent, key.privateKey);
}

/** The form with which a service provider asks for a logout, signed. */
export function askingForm(at: ParticipatingProvider, asking: Asking): URLSearchParams {
  const xml = signedXml(logoutXml(at, asking), 'LogoutRequest', at.key);
  return new URLSearchParams(formFields({ kind: 'SAMLRequest', xml, relayState: null }));
}

/** The message in an address that leaves for a service provider. */
export function messageIn(address: string) {
  const url = new URL(address);
  const kind = url.searchParams.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const xml = inflateRawSync(Buffer.from(url.searchParams.get(kind) ?? '', 'base64')).toString();
  return {
    ...headOf(xml),
    to: url.origin + url.pathname,
    kind,
    relayState: url.searchParams.get('RelayState'),
    signed: url.searchParams.has('Signature'),
  };
}

function headOf(xml: string) {
  const attribute = (name: string) => new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? null;
  return {
    xml,
    id: attribute('ID') ?? '',
    issuer: /<saml:Issuer>([^<]*)</.exec(xml)?.[1] ?? null,
    inResponseTo: attribute('InResponseTo'),
    nameId: /<saml:NameID[^>]*>([^<]*)</.exec(xml)?.[1] ?? null,
    sessionIndex: /<samlp:SessionIndex>([^<]*)</.exec(xml)?.[1] ?? null,
    status: [...xml.matchAll(/StatusCode Value="[^"]*:(\w+)"/g)].map(([, code]) => code).join(' '),
  };
}

/** The message with which a page leads to a service provider. */
export function leadingTo(page: Page) {
  const [, link] = /<a class="button" href="(https:[^"]*SAML[^"]*)"/.exec(page.text) ?? [];
  if (link) return messageIn(link.replaceAll('&amp;', '&'));
  const { action, relayState } = sentForm(page);
  const [, kind = '', value = ''] = /name="(SAMLRequest|SAMLResponse)" value="([^"]*)"/.exec(page.text) ?? [];
  return { ...headOf(Buffer.from(value, 'base64').toString()), to: action, kind, relayState, signed: true };
}

/** A service provider confirms that the person is logged out there. */
export function confirmingAddress(
  at: ParticipatingProvider,
  request: { id: string; relayState: string | null },
  { key = at.key, result = 'success' }: { key?: ServiceKey; result?: 'success' | 'refused' } = {},
): Promise<string> {
  const destination = at.own.logoutUrl;
  const head = { id: `_${crypto.randomUUID()}`, issuedAt: new Date(), destination, issuer: at.entityId };
  const xml = logoutResponseXml(head, request.id, result);
  const { relayState } = request;
  return redirectAddress({ kind: 'SAMLResponse', xml, destination, relayState }, key.privateKey);
}
