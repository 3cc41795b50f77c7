import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isKnownState } from '#platform/http-rules.ts';
import { get, type Routes } from '#platform/route.ts';

const script = readFileSync(new URL('sign-in.browser.js', import.meta.url), 'utf8');
const etag = `"${hash('sha256', script, 'base64url').slice(0, 22)}"`;

/**
 * The only script of the pages: it adds passkeys, solves the proof-of-work challenge of projects that require one, and
 * sends forms to identity providers.
 */
export const assetRoutes: Routes = [
  get('/assets/sign-in.js', {
    permission: 'public',
    handler: (request, reply) => {
      reply.headers({ etag, 'cache-control': 'public, max-age=300' });
      if (isKnownState(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('text/javascript; charset=utf-8').send(script);
    },
  }),
];
