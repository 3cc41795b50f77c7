import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Type } from 'typebox';
import type { Config } from '#platform/config.ts';
import { html, sendPage } from '#platform/html.ts';
import type { Reply } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';
import { type BuiltFiles, builtFile, readBuiltFiles, sendBuiltFile } from './built-files.ts';

const PREFIX = '/console/';
const PAGE = 'index.html';

/** The built application: its page, and its files. */
type Built = { page: string; files: BuiltFiles };

/**
 * The console's application: static files, built once. Every address below /console/ that is not a file is a state of
 * the application, so it gets the page.
 * @param dist the folder of the build
 */
export function applicationRoutes(dist: string): Routes {
  let known: Promise<Built | null> | null = null;
  // In development mode it may be rebuilt while the server runs.
  const built = (mode: Config['mode']) => {
    known = mode === 'development' || known === null ? readBuilt(dist) : known;
    return known;
  };
  return [
    get('/console', { permission: 'public', handler: (_request, reply) => reply.redirect(PREFIX, 303) }),
    get(`${PREFIX}*`, {
      permission: 'public',
      params: Type.Object({ '*': Type.String() }),
      handler: async (request, reply) => {
        const found = await built(request.server.system.config.mode);
        const path = request.params['*'];
        const file = found && path !== PAGE ? builtFile(found.files, path) : null;
        if (file !== null) return sendBuiltFile(dist, file, request, reply);
        if (path.startsWith('v1/') || path.startsWith('assets/')) return reply.callNotFound();
        return found ? sendApplication(reply, found.page) : sendNotBuilt(reply);
      },
    }),
  ];
}

/** The output of `npm run build -w console`. */
export const builtApplicationRoutes = applicationRoutes(resolve(import.meta.dirname, '../../console/dist'));

async function readBuilt(dist: string): Promise<Built | null> {
  try {
    return { page: await readFile(join(dist, PAGE), 'utf8'), files: await readBuiltFiles(dist) };
  } catch {
    return null;
  }
}

/**
 * Allows only scripts of this origin, and styles with the nonce of the response (ASVS 3.4.3). Style attributes are
 * permitted: previews of mails, which can't be styled otherwise, are shown in frames that inherit this policy.
 */
function sendApplication(reply: Reply, page: string): Reply {
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers({
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; style-src-attr 'unsafe-inline'; img-src 'self' data: https:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(page.replaceAll('__CSP_NONCE__', nonce));
}

function sendNotBuilt(reply: Reply): Reply {
  return sendPage(reply, {
    title: 'Not built',
    status: 503,
    body: html`<div class="narrow card"><h1>The console is not built</h1><p>Its API is running, but its pages are missing. Build them, then reload this page:</p><pre>npm run build -w console</pre></div>`,
  });
}
