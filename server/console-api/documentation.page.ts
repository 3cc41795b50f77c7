import { resolve } from 'node:path';
import { Type } from 'typebox';
import type { Config } from '#platform/config.ts';
import { html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';
import { type BuiltFiles, builtFile, readBuiltFiles, sendBuiltFile } from './built-files.ts';

const PREFIX = '/docs/';

/** Only scripts of this origin. The style that VitePress adds while the colours change is named by its hash; tables and the search need style attributes. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The documentation: pages that are built once.
 * @param dist the folder of the build
 */
export function documentationRoutes(dist: string): Routes {
  let known: Promise<BuiltFiles | null> | null = null;
  // In development mode it may be rebuilt while the server runs.
  const built = (mode: Config['mode']) => {
    known = mode === 'development' || known === null ? readSite(dist) : known;
    return known;
  };
  return [
    get('/docs', { permission: 'public', handler: (_request, reply) => reply.redirect(PREFIX, 303) }),
    get(`${PREFIX}*`, {
      permission: 'public',
      params: Type.Object({ '*': Type.String() }),
      handler: async (request, reply) => {
        const site = await built(request.server.system.config.mode);
        if (!site) return sendNotBuilt(reply);
        const path = fileFor(site, request.params['*']);
        if (path === null) return sendFile(dist, '404.html.br', request, reply.code(404));
        return sendFile(dist, path, request, reply);
      },
    }),
  ];
}

/** The output of `npm run build -w site`. */
export const builtDocumentationRoutes = documentationRoutes(resolve(import.meta.dirname, '../../site/dist'));

async function readSite(dist: string): Promise<BuiltFiles | null> {
  const files = await readBuiltFiles(dist).catch(() => null);
  return files?.has('index.html.br') ? files : null;
}

/** The file of an address: itself, or the page of that name. Pages have no ending in their addresses. */
function fileFor(site: BuiltFiles, address: string): string | null {
  const page = address.replace(/\/$/, '');
  return builtFile(site, address, `${page}.html`, page === '' ? 'index.html' : `${page}/index.html`);
}

function sendFile(dist: string, path: string, request: Request, reply: Reply): Promise<Reply> {
  reply.headers({
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
  return sendBuiltFile(dist, path, request, reply);
}

function sendNotBuilt(reply: Reply): Reply {
  return sendPage(reply, {
    title: 'Not built',
    status: 503,
    body: html`<div class="narrow card"><h1>The documentation is not built</h1><p>Build it, then reload this page:</p><pre>npm run build -w site</pre></div>`,
  });
}
