import { Type } from 'typebox';
import { enabledProviders } from '#applications';
import { newProofChallenge, ProofChallenge } from '#attempts';
import { minimumLength } from '#passwords';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { anonymousCtx, scopeFields } from '#requests';
import { Language, SignInMethod } from '#settings';
import { projectOf } from '#tenancy';
import { openMethods } from './sign-in-methods.ts';

const Methods = Type.Object({
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

export const methodRoutes: Routes = (app) => {
  app.get(
    '/v1/auth/methods',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'List sign-in methods',
        querystring: Type.Object(scopeFields),
        response: { 200: Methods, ...problemResponses('CONTEXT_REQUIRED', 'ENVIRONMENT_MISMATCH') },
      },
    },
    async (request) => {
      const ctx = await anonymousCtx(request, request.query);
      const { settings, projectId, projectName } = await projectOf(ctx.system, ctx.scope);
      const social = settings.signInMethods.includes('social');
      return {
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
  );

  app.get(
    '/v1/auth/challenge',
    {
      config: { permission: 'public' },
      schema: {
        summary: 'Get a proof-of-work challenge',
        description: 'For an ALTCHA widget; its payload goes into the field `proof`. Works for ten minutes, once.',
        querystring: Type.Object(scopeFields),
        response: { 200: ProofChallenge, ...problemResponses('CONTEXT_REQUIRED') },
      },
    },
    async (request, reply) => {
      const ctx = await anonymousCtx(request, request.query);
      reply.header('cache-control', 'no-store');
      return newProofChallenge(ctx);
    },
  );
};
