import assert from 'node:assert/strict';
import type { ServiceKey } from '#saml';
import { type Company, newCompany } from './connections.ts';
import type { TestLatchkey } from './harness.ts';
import type { Browser } from './oidc.ts';
import { providerMetadata, requestIn, type Said } from './saml-provider.ts';

export const ENTITY_ID = 'https://idp.example.com';

export type SamlCompany = Company & {
  id: string;
  acs: string;
  audience: string;
  path: string;
  relayState: string;
  certificate: string;
};

type Given = {
  more?: Record<string, unknown>;
  saml?: Record<string, unknown>;
  logout?: string;
  signOnBinding?: string;
};

/** A company whose people sign in by SAML, at an identity provider with that key. */
export async function newSamlCompany(
  latchkey: TestLatchkey,
  { certificate: providers }: ServiceKey,
  { more = {}, saml = {}, logout, signOnBinding }: Given = {},
): Promise<SamlCompany> {
  const company = await newCompany(latchkey);
  const metadata = providerMetadata({
    entityId: ENTITY_ID,
    signOn: `${ENTITY_ID}/sso`,
    logout,
    certificates: [providers],
  }).replace(/HTTP-Redirect(?=" Location="[^"]*\/sso)/, signOnBinding ?? 'HTTP-Redirect');
  const body = { name: 'SAML', status: 'enabled', justInTime: true, saml: { metadata, ...saml }, ...more };
  const created = await company.call('/connections', 'POST', body);
  assert.equal(created.status, 201, created.text);
  const { id, callbackUrl } = created.body;
  const { serviceProvider, idpInitiatedRelayState: relayState } = created.body.saml;
  const [{ pem: certificate }] = serviceProvider.certificates;
  const path = `/connections/${id}`;
  return { ...company, id, path, acs: callbackUrl, audience: serviceProvider.entityId, relayState, certificate };
}

/** What the identity provider says about a person at a company. */
export function about(
  { acs, audience }: Pick<SamlCompany, 'acs' | 'audience'>,
  nameId: string,
  inResponseTo: string | null,
): Said {
  return {
    now: new Date(),
    issuer: ENTITY_ID,
    audience,
    recipient: acs,
    inResponseTo,
    nameId,
    attributes: { mail: nameId },
  };
}

/** A form that the identity provider lets the browser post: without cookies, because it comes from another site. */
export function postResponse(
  latchkey: TestLatchkey,
  { id }: Pick<SamlCompany, 'id'>,
  { relayState, xml }: { relayState: string; xml: string },
) {
  const body = new URLSearchParams({ RelayState: relayState, SAMLResponse: Buffer.from(xml).toString('base64') });
  return latchkey.auth(`/v1/auth/login/connections/${id}/callback`, { method: 'POST', body });
}

/** A browser at the identity provider: its request, and the way back with a response. */
export function leftFrom(
  latchkey: TestLatchkey,
  company: Pick<SamlCompany, 'id' | 'acs'>,
  { there, browser }: { there: string; browser: Browser },
) {
  const request = requestIn(there);
  const back = async (xml: string, as = browser) => {
    const posted = await postResponse(latchkey, company, { relayState: request.relayState, xml });
    assert.equal(posted.status, 303, posted.text);
    const page = await as.open(new URL(posted.headers.get('location') ?? '', company.acs).href);
    const { searchParams } = new URL(page.url);
    return { ...page, code: searchParams.get('code'), error: searchParams.get('error') };
  };
  return { request, back };
}
