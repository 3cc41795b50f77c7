import { Type } from 'typebox';
import { minimumLength } from '#identity';
import type { Routes } from '#platform/http.ts';
import { problemResponses } from '#platform/problem.ts';
import { projectOf } from '#tenancy';
import { anonymousCtx, scopeFields } from './scope.ts';

const Methods = Type.Object({
  projectId: Type.String(),
  projectName: Type.String(),
  registration: Type.Enum(['open', 'closed']),
  methods: Type.Array(Type.Enum(['password'])),
  providers: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  passwordPolicy: Type.Object({ minLength: Type.Integer(), maxLength: Type.Integer() }),
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
      return {
        projectId,
        projectName,
        registration: settings.registration,
        methods: ['password' as const],
        providers: [],
        passwordPolicy: { minLength: minimumLength(settings), maxLength: 1024 },
      };
    },
  );
};
