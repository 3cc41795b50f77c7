import { Type } from 'typebox';
import { newProofChallenge, ProofChallenge } from '#attempts';
import { brandOf, themeColours } from '#branding';
import { addressesOf } from '#domains';
import { projectOf } from '#environments';
import { enabledProviders } from '#identity-providers';
import { minimumLength } from '#passwords';
import { get, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';
import { anonymousCtx, scopeFields } from '#requests';
import { Language, SignInMethod } from '#settings';
import { openMethods } from './open-methods.ts';

const ThemeColours = Type.Object({
  accent: nullable(Type.String()),
  onAccent: nullable(Type.String({ description: 'The text on the accent.' })),
  background: nullable(Type.String()),
});

const Brand = Type.Object(
  {
    logoUrl: nullable(Type.String()),
    darkLogoUrl: nullable(Type.String({ description: 'In place of the logo in a dark theme.' })),
    radius: nullable(Type.Integer({ description: 'Of corners, in pixels.' })),
    light: ThemeColours,
    dark: ThemeColours,
  },
  { description: 'The branding of the project. Colours have enough contrast in their theme; null: not set.' },
);

const Methods = Type.Object({
  workspaceId: Type.String(),
  environment: Type.Enum(['test', 'production']),
  apiUrl: Type.String({ description: 'The address of `/v1/me`, where people manage their account.' }),
  brand: Brand,
  projectId: Type.String(),
  projectName: Type.String(),
  registration: Type.Enum(['open', 'closed']),
  methods: Type.Array(SignInMethod),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), preset: Type.String() })),
  passwordPolicy: Type.Object({ minLength: Type.Integer(), maxLength: Type.Integer() }),
  mfa: Type.Enum(['off', 'optional', 'required']),
  locales: Type.Array(Language, { description: 'The languages of pages and messages.' }),
  defaultLanguage: Language,
  proofOfWork: Type.Boolean({ description: 'Solve a challenge of `GET /v1/auth/challenge` first.' }),
});

export const methodRoutes: Routes = [
  get('/v1/auth/methods', {
    permission: 'public',
    summary: 'List sign-in methods',
    query: Type.Object(scopeFields),
    responses: { 200: Methods },
    problems: ['CONTEXT_REQUIRED', 'ENVIRONMENT_MISMATCH'],
    handler: async (request) => {
      const ctx = await anonymousCtx(request, request.query);
      const { settings, projectId, projectName } = await projectOf(ctx.system, ctx.scope);
      const { workspaceId, environment } = ctx.scope;
      const { api } = await addressesOf(ctx.system, ctx.scope);
      const { logoUrl, darkLogoUrl, radius, ...colours } = await brandOf(ctx.system, ctx.scope, null);
      const social = settings.signInMethods.includes('social');
      return {
        workspaceId,
        environment,
        apiUrl: api[0] ?? ctx.system.config.addresses[environment].api,
        brand: { logoUrl, darkLogoUrl, radius, ...themeColours(colours) },
        projectId,
        projectName,
        registration: settings.registration,
        methods: await openMethods(ctx),
        providers: social ? await enabledProviders(ctx) : [],
        passwordPolicy: { minLength: minimumLength(settings), maxLength: 1024 },
        mfa: settings.mfa,
        locales: settings.locales,
        defaultLanguage: settings.defaultLanguage,
        proofOfWork: settings.proofOfWork === 'required',
      };
    },
  }),
  get('/v1/auth/challenge', {
    permission: 'public',
    summary: 'Get a proof-of-work challenge',
    description: 'For an ALTCHA widget; send its payload in the field `proof`. It works once, for ten minutes.',
    query: Type.Object(scopeFields),
    responses: { 200: ProofChallenge },
    problems: ['CONTEXT_REQUIRED'],
    handler: async (request, reply) => {
      const ctx = await anonymousCtx(request, request.query);
      reply.header('cache-control', 'no-store');
      return newProofChallenge(ctx);
    },
  }),
];
