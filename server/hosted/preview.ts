import { renderPage, voiceOf } from '#pages';
import type { Reply, Request } from '#platform/http.ts';
import { type Language, projectOf, type Settings } from '#tenancy';
import type { Flow } from './flow.ts';
import { firstPage } from './sign-in.page.ts';

/** Settings as they might become, and the language to read the page in. */
type Wish = { settings: Partial<Settings>; locale: Language };

/**
 * The project's own sign-in page as it would look with other settings: made by the code that makes the real one.
 * @returns the whole document
 */
export async function signInPreview(request: Request, reply: Reply, wish: Wish): Promise<string> {
  const { ctx } = request;
  const { settings, projectName } = await projectOf(ctx.system, ctx.scope);
  const wanted: Settings = { ...settings, ...wish.settings };
  const voice = await voiceOf({ system: ctx.system, scope: ctx.scope, languages: wish.locale });
  const flow: Flow = {
    request,
    reply,
    ctx,
    settings: wanted,
    voice: { ...voice, branding: wanted.branding },
    step: {},
    interaction: {
      uid: 'preview',
      prompt: 'login',
      reasons: ['no_session'],
      current: null,
      application: { ...NOBODYS, ...ctx.scope, name: projectName },
      asked: { scopes: [], redirectUri: null, loginHint: null, maxAge: null, locales: null, acrValues: [] },
    },
  };
  return renderPage(flow.voice, await firstPage(flow)).document;
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
  enabled: false,
  tokensEndedAt: null,
  secretHashes: [],
};
