import { brandOf, type OrganizationBranding } from '#branding';
import { projectOf } from '#environments';
import { providerPages } from '#oidc';
import { type Preview, type Voice, voiceOf } from '#pages';
import type { UserSummary } from '#people';
import type { Reply, Request } from '#platform/http.ts';
import { newId, type OrganizationId } from '#platform/ids.ts';
import type { Branding, Language, Settings } from '#settings';
import { codePage, forgotPage, resetPage } from './codes.page.ts';
import { consentPage, pickerPage } from './decisions.page.ts';
import { type Flow, placeOf, show } from './flow.ts';
import { linkPage as identityPage } from './linking.page.ts';
import { linkPage } from './mailed-links.page.ts';
import { type LinkKind, linkPages } from './mailed-links.ts';
import { offerPage } from './passkey-offers.page.ts';
import { enrolPage, factorPage, recoveryCodesPage } from './second-factor.page.ts';
import { firstPage, namePage, registerPage } from './sign-in.page.ts';

/** Unsaved settings, and how the page is shown. */
export type PreviewWish = Preview & {
  settings: Partial<Settings>;
  branding: Partial<Branding>;
  /** An organization and its branding, to preview a sign-in for it. */
  organization: { id: OrganizationId; branding?: OrganizationBranding } | null;
  /** Null: the project's default. */
  locale: Language | null;
};

/** The voice and the settings of a preview. */
export async function previewed({ ctx }: Pick<Request, 'ctx'>, wish: PreviewWish) {
  const { scope, system } = ctx;
  const project = await projectOf(system, scope);
  const branding = { ...project.settings.branding, ...wish.branding };
  const settings: Settings = { ...project.settings, ...wish.settings, branding };
  const voice = await voiceOf({ system, in: { scope, organizationId: null }, languages: wish.locale });
  const { organization } = wish;
  const brand = await brandOf(system, scope, organization?.id ?? null, {
    branding,
    ...(organization?.branding && { organization: organization.branding }),
  });
  return { settings, projectName: project.projectName, voice: { ...voice, brand } satisfies Voice };
}

/** What previews show of a person. */
export const SAMPLE = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  provider: 'Example',
  code: '12345678',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  recoveryCodes: [
    '4kx2-9rvm',
    '7hq5-2wnd',
    '8tz3-6yfb',
    '2mc9-4jpk',
    '5vg7-8sxt',
    '9bd4-3kqw',
    '6nf2-7zhr',
    '3pw8-5cmv',
  ],
} as const;

/** Every page of a sign-in, in the order in which people meet them. */
const PAGES = {
  'sign-in': async (flow) => show(flow, await firstPage(flow)),
  'sign-in-fault': async (flow) => {
    const failed: Flow = { ...flow, step: { identifier: SAMPLE.email, fault: { code: 'INVALID_CREDENTIALS' } } };
    return show(failed, await firstPage(failed));
  },
  password: (flow) => namePage({ ...flow, step: { identifier: SAMPLE.email } }),
  register: (flow) => registerPage({ ...flow, settings: { ...flow.settings, registration: 'open' } }),
  code: (flow) => codePage(flow, sentTo(flow, 'email_code')),
  forgot: forgotPage,
  reset: (flow) => resetPage(flow, sentTo(flow, 'reset')),
  'second-factor': (flow) => factorPage(flow, challengeOf()),
  enroll: (flow) =>
    enrolPage(
      { ...flow, step: { enrolment: { id: newId('fac', flow.ctx.now), secret: SAMPLE.secret, uri: OTPAUTH } } },
      challengeOf(),
    ),
  'recovery-codes': (flow) => recoveryCodesPage({ ...flow, step: { recoveryCodes: [...SAMPLE.recoveryCodes] } }),
  'passkey-offer': (flow) => offerPage({ ...flow, step: { offer: true } }),
  'link-identity': (flow) =>
    identityPage(flow, { provider: SAMPLE.provider, name: SAMPLE.email, address: SAMPLE.email }),
  consent: (flow) => consentPage(ofStranger(flow)),
  'choose-account': (flow) => pickerPage(flow),
  'mailed-sign-in': (flow) => mailed(flow, 'sign-in'),
  'mailed-verify': (flow) => mailed(flow, 'verify'),
  'mailed-password': (flow) => mailed(flow, 'password'),
  'mailed-invitation': (flow) => mailed(flow, 'invitation'),
  'device-code': (flow) => show(flow, providerPages.deviceEntry(flow.voice, { ...NO_FORM, error: undefined })),
  'device-confirm': (flow) =>
    show(
      flow,
      providerPages.deviceConfirmed(flow.voice, { ...NO_FORM, userCode: 'WDJB-MJHT', application: SAMPLE.provider }),
    ),
  'device-done': (flow) => show(flow, providerPages.deviceDone(flow.voice)),
  'sign-out': (flow) => show(flow, providerPages.logoutQuestion(flow.voice, NO_FORM)),
  'signed-out': (flow) => show(flow, providerPages.loggedOut(flow.voice)),
  error: (flow) =>
    show(
      flow,
      providerPages.failure(flow.voice, {
        ...{ dead: false, code: 'invalid_request', description: 'missing required parameter(s) (scope)', more: '' },
        correlationId: flow.request.trace.correlationId,
      }),
    ),
} satisfies Record<string, (flow: Flow) => Reply | Promise<Reply>>;

type HostedPage = keyof typeof PAGES;
export const hostedPages = Object.keys(PAGES).filter((name): name is HostedPage => name in PAGES);

const OTPAUTH = `otpauth://totp/Example:${SAMPLE.email}?secret=${SAMPLE.secret}&issuer=Example`;
const NO_FORM = { action: '', secret: '' };

/**
 * Previews a page of the project's sign-in with other settings, rendered by the code of the real page with sample data.
 * @returns the whole document, for a frame of the console that runs no scripts and submits no forms
 */
export async function previewHostedPage(
  { request, reply }: { request: Request; reply: Reply },
  page: HostedPage,
  wish: PreviewWish,
): Promise<Reply> {
  const { ctx } = request;
  const { settings, projectName, voice } = await previewed(request, wish);
  const flow: Flow = {
    ...{ request, reply, ctx, settings, voice, step: {}, place: placeOf('preview') },
    preview: { theme: wish.theme },
    sample: sampleOf(ctx.now),
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
        ownProof: false,
        organizationId: null,
        maxAge: null,
        locales: null,
        secondFactor: 'no',
      },
    },
  };
  return PAGES[page](flow);
}

function sampleOf(now: Date): UserSummary {
  return {
    ...{ userId: newId('usr', now), email: SAMPLE.email, emailVerified: true, phone: null, phoneVerified: false },
    ...{ username: null, displayName: SAMPLE.name, locale: null },
  };
}

function sentTo({ ctx }: Flow, way: 'email_code' | 'reset') {
  return { way, flowId: newId('flw', ctx.now), address: SAMPLE.email };
}

function challengeOf(): NonNullable<Flow['step']['mfa']> {
  const factor = (type: 'totp' | 'passkey' | 'recovery_code', hint: string | null) => ({ type, id: type, hint });
  const factors = [factor('passkey', 'iCloud Keychain'), factor('totp', null), factor('recovery_code', null)];
  return { status: 'mfa_required', mfaToken: '', factors, expiresIn: 600 };
}

/** The request of a third-party application for what it may know. */
function ofStranger(flow: Flow): Flow {
  const { interaction } = flow;
  const { application, asked } = interaction;
  return {
    ...flow,
    interaction: {
      ...interaction,
      prompt: 'consent',
      application: { ...application, name: SAMPLE.provider, firstParty: false },
      asked: {
        ...asked,
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        redirectUri: 'https://application.example/callback',
      },
    },
  };
}

function mailed(flow: Flow, kind: LinkKind): Reply {
  const { request, voice, settings, ctx } = flow;
  const found = {
    address: SAMPLE.email,
    ip: '203.0.113.7',
    userAgent: request.headers['user-agent'] ?? null,
    askedAt: ctx.now,
  };
  return show(flow, linkPage(linkPages[kind](voice, found, settings), { kind, token: '' }));
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
