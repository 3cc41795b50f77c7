import { html } from 'hono/html';
import type { Markup, TextId } from '#pages';
import type { Visit } from './visit.ts';

/** What an identity provider is told about this side. */
type Service = { entityId: string; callbackUrl: string; jwksUrl: string };

type Guide = {
  kind: 'saml' | 'oidc';
  name: string;
  steps: readonly TextId[];
  /** The values to copy, under the labels of the identity provider's own pages. */
  values: (service: Service) => readonly { label: string; value: string }[];
};

/** How each identity provider is connected. */
export const GUIDES = {
  entra: {
    kind: 'saml',
    name: 'Microsoft Entra ID',
    steps: ['setup.entra1', 'setup.entra2', 'setup.entra3', 'setup.entra4'],
    values: ({ entityId, callbackUrl }) => [
      { label: 'Identifier (Entity ID)', value: entityId },
      { label: 'Reply URL (Assertion Consumer Service URL)', value: callbackUrl },
    ],
  },
  okta: {
    kind: 'saml',
    name: 'Okta',
    steps: ['setup.okta1', 'setup.okta2', 'setup.okta3', 'setup.okta4'],
    values: ({ entityId, callbackUrl }) => [
      { label: 'Single sign-on URL', value: callbackUrl },
      { label: 'Audience URI (SP Entity ID)', value: entityId },
      {
        label: 'Attribute Statements',
        value: 'email = user.email, givenName = user.firstName, surname = user.lastName',
      },
    ],
  },
  google: {
    kind: 'saml',
    name: 'Google Workspace',
    steps: ['setup.google1', 'setup.google2', 'setup.google3', 'setup.google4'],
    values: ({ entityId, callbackUrl }) => [
      { label: 'ACS URL', value: callbackUrl },
      { label: 'Entity ID', value: entityId },
      { label: 'Attributes', value: 'Primary email = email, First name = givenName, Last name = surname' },
    ],
  },
  keycloak: {
    kind: 'saml',
    name: 'Keycloak',
    steps: ['setup.keycloak1', 'setup.keycloak2', 'setup.keycloak3', 'setup.keycloak4'],
    values: ({ entityId, callbackUrl }) => [
      { label: 'Client ID', value: entityId },
      { label: 'Valid redirect URIs', value: callbackUrl },
      { label: 'Assertion Consumer Service POST Binding URL', value: callbackUrl },
    ],
  },
  saml: {
    kind: 'saml',
    name: 'SAML 2.0',
    steps: ['setup.saml1', 'setup.saml2', 'setup.saml3'],
    values: ({ entityId, callbackUrl }) => [
      { label: 'Entity ID, Audience', value: entityId },
      { label: 'ACS URL (HTTP-POST)', value: callbackUrl },
      { label: 'Attributes', value: 'email, givenName, surname' },
    ],
  },
  oidc: {
    kind: 'oidc',
    name: 'OpenID Connect',
    steps: ['setup.oidc1', 'setup.oidc2', 'setup.oidc3'],
    values: ({ callbackUrl, jwksUrl }) => [
      { label: 'Redirect URI', value: callbackUrl },
      { label: 'Scopes', value: 'openid email profile' },
      { label: 'JWKS URL (private_key_jwt)', value: jwksUrl },
    ],
  },
} as const satisfies Record<string, Guide>;

export type GuideKey = keyof typeof GUIDES;
export const guideKeys = Object.keys(GUIDES).filter((key): key is GuideKey => key in GUIDES);

/** Numbered steps under a heading. */
export function steps({ voice: { say } }: Pick<Visit, 'voice'>, title: string, texts: readonly TextId[]): Markup {
  return html`<h3>${title}</h3><ol class="steps">${texts.map((text) => html`<li>${say(text)}</li>`)}</ol>`;
}
