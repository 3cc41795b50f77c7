import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { Type } from 'typebox';
import type { Config } from '#platform/config.ts';
import { html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { get, type Routes } from '#platform/route.ts';

const PREFIX = '/docs/';
const ASSETS = 'assets/';
const YEAR_SECONDS = 31_536_000;
const COMPRESSED = '.br';
const decompress = promisify(brotliDecompress);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

/** Only scripts of this origin. The style that VitePress adds while the colours change is named by its hash; tables and the search need style attributes. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** The paths of the files of the site. */
type Site = ReadonlySet<string>;

/**
 * The documentation: pages that are built once. Texts are stored compressed only, and decompressed for the few clients that do not
 * take them so.
 * @param dist the folder of the build
 */
export function documentationRoutes(dist: string): Routes {
  let known: Promise<Site | null> | null = null;
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

async function readSite(dist: string): Promise<Site | null> {
  try {
    const entries = await readdir(dist, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(dist.length + 1)
          .replaceAll('\\', '/'),
      );
    return paths.includes('index.html.br') ? new Set(paths) : null;
  } catch {
    return null;
  }
}

/** The file of an address: itself, or the page of that name. Pages have no ending in their addresses. */
function fileFor(site: Site, address: string): string | null {
  const page = address.replace(/\/$/, '');
  const candidates = [
    address,
    `${address}${COMPRESSED}`,
    `${page}.html${COMPRESSED}`,
    page === '' ? `index.html${COMPRESSED}` : `${page}/index.html${COMPRESSED}`,
  ];
  return candidates.find((candidate) => site.has(candidate)) ?? null;
}

async function sendFile(dist: string, path: string, request: Request, reply: Reply): Promise<Reply> {
  const content = await readFile(join(dist, path));
  const compressed = path.endsWith(COMPRESSED);
  const name = compressed ? path.slice(0, -COMPRESSED.length) : path;
  const asIs = compressed && /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers['accept-encoding'] ?? '');
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}${asIs ? '-br' : ''}"`;
  reply.headers({
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': name.startsWith(ASSETS) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, no-cache',
    ...(compressed && { vary: 'accept-encoding' }),
    ...(asIs && { 'content-encoding': 'br' }),
    etag,
  });
  if (reply.statusCode === 200 && request.headers['if-none-match'] === etag) return reply.code(304).send();
  const body = compressed && !asIs ? await decompress(content) : content;
  return reply.type(TYPES[extname(name)] ?? 'application/octet-stream').send(body);
}

function sendNotBuilt(reply: Reply): Reply {
  return sendPage(reply, {
    title: 'Not built',
    status: 503,
    body: html`<div class="narrow card"><h1>The documentation is not built</h1><p>Build it, then reload this page:</p><pre>npm run build -w site</pre></div>`,
  });
}
