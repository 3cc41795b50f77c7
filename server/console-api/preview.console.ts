import { Type } from 'typebox';
import { signInPreview } from '#hosted';
import type { Routes } from '#platform/http.ts';
import { Language, Settings } from '#tenancy';

const Looks = Type.Partial(Settings, { additionalProperties: false });

/** What customers will see, before it is so. */
export const previewRoutes: Routes = (app) => {
  app.post(
    '/console/v1/settings/sign-in/preview',
    {
      config: { permission: 'settings:read' },
      schema: {
        summary: 'Preview the sign-in page',
        description:
          'The real page with other settings. Show it in a sandboxed frame; its one style carries a nonce to replace with that of your own page.',
        body: Type.Object({ settings: Looks, locale: Language }, { additionalProperties: false }),
        response: { 200: Type.Object({ document: Type.String() }) },
      },
    },
    async (request, reply) => ({ document: await signInPreview(request, reply, request.body) }),
  );
};
