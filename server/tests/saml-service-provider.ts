import assert from 'node:assert/strict';
import { type AssertionContent, newServiceKey, readResponse, type ServiceKey } from '#saml';
import { admin } from './apis.ts';
import { PASSWORD, type TestLatchkey } from './harness.ts';
import { type Browser, browserOf } from './oidc.ts';
import { redirectQuery } from './saml-messages.ts';

export const ACS = 'https://sp.example.com/acs';
const SAML = 'urn:oasis:names:tc:SAML:2.0:assertion';
const SAMLP = 'urn:oasis:names:tc:SAML:2.0:protocol';

let made = 0;

/** A service provider, as an application by SAML of the demo's project. */
export async function newServiceProvider(
  latchkey: TestLatchkey,
  saml: Record<string, unknown> = {},
  more: Record<string, unknown> = {},
) {
  made += 1;
  const entityId = `https://sp${made}.example.com`;
  const body = {
    kind: 'saml',
    name: `SP ${made}`,
    saml: { entityId, consumers: [{ url: ACS, index: 0 }], ...saml },
    ...more,
  };
  const { id, clientId } = await admin(latchkey, 'applications', { body });
  const own = await admin(latchkey, `saml/applications/${id}`);
  return {
    id: String(id),
    clientId: String(clientId),
    entityId,
    own,
    change: (changes: Record<string, unknown>) =>
      admin(latchkey, `applications/${id}`, { method: 'PATCH', body: changes }),
  };
}
export type ServiceProvider = Awaited<ReturnType<typeof newServiceProvider>>;

export type Request = {
  id?: string;
  /** Attributes of the request. */
  with?: Record<string, string>;
  issuer?: string;
  /** Elements after the issuer. */
  content?: string;
};

/** A request for a sign-in. */
export function authnRequestXml(at: ServiceProvider, request: Request = {}): string {
  const { id = `_${crypto.randomUUID()}`, issuer = at.entityId, content = '' } = request;
  const attributes = Object.entries({
    AssertionConsumerServiceURL: ACS,
    Destination: at.own.signOnUrl,
    ...request.with,
  });
  const written = attributes.filter(([, value]) => value !== '').map(([name, value]) => ` ${name}="${value}"`);
  return [
    `<samlp:AuthnRequest xmlns:samlp="${SAMLP}" ID="${id}" Version="2.0" IssueInstant="${new Date().toISOString()}"${written.join('')}>`,
    `<saml:Issuer xmlns:saml="${SAML}">${issuer}</saml:Issuer>${content}</samlp:AuthnRequest>`,
  ].join('');
}

type Page = { url: string; status: number; text: string };

/** Sends a browser with a request, and signs the person in if the pages ask. */
export async function signInAtProvider(
  latchkey: TestLatchkey,
  at: ServiceProvider,
  { person, browser = browserOf(latchkey), ...request }: Request & { person: { email: string }; browser?: Browser },
) {
  const id = request.id ?? `_${crypto.randomUUID()}`;
  const query = redirectQuery(authnRequestXml(at, { ...request, id }), { relayState: 'where I was' });
  const page = await browser.open(`${at.own.signOnUrl}?${query}`);
  const asks = page.text.includes('name="password"');
  const arrived = asks ? await browser.submit(page, { identifier: person.email, password: PASSWORD }) : page;
  return { browser, page: arrived, id, asked: asks };
}

/** The form that a page sends to the service provider. */
export function sentForm({ text, url, status }: Page) {
  const [, action = ''] = /<form method="post" action="([^"]+)" data-at-once>/.exec(text) ?? [];
  assert.ok(action, `a form for the service provider, not ${status} ${url} ${text}`);
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? null;
  const xml = Buffer.from(field('SAMLResponse') ?? '', 'base64').toString();
  const [, status1 = '', status2 = ''] =
    /StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:(\w+)"(?:><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:(\w+)")?/.exec(
      xml,
    ) ?? [];
  return { action, xml, relayState: field('RelayState'), status: [status1, status2].filter(Boolean).join(' ') };
}

/** Reads the response on a page as the service provider does. */
export function readAt(
  at: ServiceProvider,
  page: Page,
  { requestId, key, recipient = ACS }: { requestId: string | null; key?: ServiceKey; recipient?: string },
): Promise<AssertionContent> {
  return readResponse(sentForm(page).xml, {
    entityId: at.own.entityId,
    certificates: at.own.keys.map(({ certificate }: { certificate: string }) => certificate),
    audience: at.entityId,
    recipient,
    decryptionKeys: key ? [key.privateKey] : [],
    requestId,
    now: new Date(),
  });
}

let key: Promise<ServiceKey> | undefined;

/** A key of a service provider; making one takes long. */
export function serviceKey(): Promise<ServiceKey> {
  key ??= newServiceKey('sp', new Date());
  return key;
}
