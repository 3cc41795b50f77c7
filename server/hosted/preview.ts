import { brandFrom, type OrganizationBranding } from '#branding';
import { projectOf } from '#environments';
import { type Rendered, renderPage, voiceOf } from '#pages';
import type { Reply, Request } from '#platform/http.ts';
import type { Branding, Language, Settings } from '#settings';
import { type Flow, placeOf } from './flow.ts';
import { firstPage } from './sign-in.page.ts';

/** Unsaved settings, and the language of the page. */
type Wish = {
  settings: Partial<Settings>;
  branding: Partial<Branding>;
  /** The branding of an organization, to preview a sign-in for it. */
  organization?: OrganizationBranding;
  /** Null: the project's default. */
  locale: Language | null;
};

/**
 * Previews the project's sign-in page with other settings, rendered by the code of the real page.
 * @returns the whole document, for a frame of the console that runs no scripts and submits no forms
 */
export async function signInPreview(request: Request, reply: Reply, wish: Wish): Promise<Rendered> {
  const { ctx } = request;
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  const branding = { ...settings.branding, ...wish.branding };
  const wanted: Settings = { ...settings, ...wish.settings, branding };
  const { scope } = ctx;
  const voice = await voiceOf({ system: ctx.system, in: { scope, organizationId: null }, languages: wish.locale });
  const brand = brandFrom({ name: projectName, branding }, wish.organization ?? null);
  const flow: Flow = {
    request,
    reply,
    ctx,
    settings: wanted,
    voice: { ...voice, brand },
    step: {},
    place: placeOf('preview'),
    interaction: {
      uid: 'preview',
      prompt: 'login',
      reasons: ['no_session'],
      current: null,
      application: { ...NOBODYS, ...ctx.scope, name: projectName },
      asked: {
        scopes: [],
        apiScopes: [],
        redirectUri: null,
        loginHint: null,
        organizationId: null,
        maxAge: null,
        locales: null,
        secondFactor: 'no',
      },
    },
  };
  const { document, headers } = renderPage(flow.voice, await firstPage(flow));
  const policy = `${headers['content-security-policy']?.replace("frame-ancestors 'none'", "frame-ancestors 'self'")}; sandbox`;
  return { document, headers: { ...headers, 'content-security-policy': policy, 'x-frame-options': 'SAMEORIGIN' } };
}

/** A placeholder application for previews, with which nobody can sign in. */
const NOBODYS: Omit<Flow['interaction']['application'], 'workspaceId' | 'projectId' | 'environment' | 'name'> = {
  id: 'app_',
  clientId: 'preview',
  kind: 'web',
  redirectUris: [],
  origins: [],
  permissions: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  firstParty: true,
  subjectType: 'public',
  jwks: null,
  profile: 'oauth',
  pkce: 'required',
  idTokenClaims: 'requested',
  usesDefaultOrganization: false,
  apis: [],
  dpopBound: false,
  grants: [],
  accessTokenSeconds: null,
  refreshTokenSeconds: null,
  enabled: false,
  tokensEndedAt: null,
  signInsEndedAt: null,
  secretHashes: [],
  selfRegistered: false,
  saml: null,
  signInOnly: false,
};
