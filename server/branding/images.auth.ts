import { Type } from 'typebox';
import { findProject } from '#environments';
import { isKnownState } from '#platform/http-rules.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { workspaceByRoutingKey } from '#tenancy';
import { findImage, pathOf } from './images.ts';

const ImagePath = Type.Object({
  routingKey: Type.String({ pattern: '^[a-z0-9]{8}$' }),
  imageId: IdSchema('img'),
  hash: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
});

/** A browser shows these responses as images and as nothing else, also when somebody opens their address. */
const GUARDS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
};

/** Images of brandings, on pages and in mails. */
export const imageRoutes: Routes = [
  get('/images/:routingKey/:imageId/:hash', {
    permission: 'public',
    params: ImagePath,
    problems: ['NOT_FOUND'],
    handler: async (request, reply) => {
      const { routingKey, imageId, hash } = request.params;
      const { system, host } = request.server;
      const { environment } = host;
      const workspaceId = await workspaceByRoutingKey(system, routingKey);
      if (workspaceId === undefined || environment === null) throw problem('NOT_FOUND');
      const image = await findImage(system, { workspaceId, environment, id: imageId });
      if (!image || !(await findProject(system, { workspaceId, environment, projectId: image.projectId })))
        throw problem('NOT_FOUND');
      reply.headers(GUARDS);
      // Mails that were sent earlier show the present logo.
      if (image.hash !== hash)
        return reply.header('cache-control', 'no-store').redirect(pathOf(routingKey, imageId, image.hash), 302);
      const etag = `"${hash}"`;
      reply.headers({ etag, 'cache-control': 'public, max-age=31536000, immutable' });
      if (isKnownState(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type(image.type).send(image.content);
    },
  }),
];
