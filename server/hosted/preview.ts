import { type Rendered, renderPage, voiceOf } from '#pages';
import type { Reply, Request } from '#platform/http.ts';
import type { Branding, Language, Settings } from '#settings';
import { projectOf } from '#tenancy';
import { type Flow, placeOf } from './flow.ts';
import { firstPage } from './sign-in.page.ts';

/** Settings as they might become, and the language to read the page in. */
type Wish = { settings: Partial<Settings>; branding: Partial<Branding>; locale: Language };

/**
 * The project's own sign-in page as it would look with other settings: made by the code that makes the real one.
 * @returns the whole document, for a frame of our own pages that runs no scripts and sends no forms
 */
export async function signInPreview(request: Request, reply: Reply, wish: Wish): Promise<Rendered> {
  const { ctx } = request;
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  const branding = { ...settings.branding, ...wish.branding };
  const wanted: Settings = { ...settings, ...wish.settings, branding };
  const voice = await voiceOf({ system: ctx.system, scope: ctx.scope, languages: wish.locale });
  const flow: Flow = {
    request,
    reply,
    ctx,
    settings: wanted,
    voice: { ...voice, branding },
    step: {},
    place: placeOf('preview'),
    interaction: {
      uid: 'preview',
      prompt: 'login',
      reasons: ['no_session'],
      current: null,
      application: { ...NOBODYS, ...ctx.scope, name: projectName },
      asked: { scopes: [], redirectUri: null, loginHint: null, maxAge: null, locales: null, secondFactor: 'no' },
    },
  };
  const { document, headers } = renderPage(flow.voice, await firstPage(flow));
  const policy = `${headers['content-security-policy']?.replace("frame-ancestors 'none'", "frame-ancestors 'self'")}; sandbox`;
  return { document, headers: { ...headers, 'content-security-policy': policy, 'x-frame-options': 'SAMEORIGIN' } };
}

/** The application that a preview is for: none that could sign anybody in. */
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
  resources: [],
  dpopBound: false,
  grants: [],
  accessTokenSeconds: null,
  refreshTokenSeconds: null,
  enabled: false,
  tokensEndedAt: null,
  signInsEndedAt: null,
  secretHashes: [],
  selfRegistered: false,
};
