import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Reply, Request } from '#platform/http.ts';

/**
 * The paths of the files of a build. Texts are stored compressed only, and decompressed for the few clients that do not take them so.
 */
export type BuiltFiles = ReadonlySet<string>;

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
  '.woff2': 'font/woff2',
};

/** @throws Error if there is no such folder */
export async function readBuiltFiles(dist: string): Promise<BuiltFiles> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(dist.length + 1)
        .replaceAll('\\', '/'),
    );
  return new Set(paths);
}

/** The stored file of the first of these names that there is. */
export function builtFile(files: BuiltFiles, ...names: string[]): string | null {
  return names.flatMap((name) => [name, `${name}${COMPRESSED}`]).find((path) => files.has(path)) ?? null;
}

/**
 * Sends a file of a build. The names of assets change with their content, so they are cached; other files are revalidated.
 * @param path a path that {@link builtFile} found
 */
export async function sendBuiltFile(dist: string, path: string, request: Request, reply: Reply): Promise<Reply> {
  const content = await readFile(join(dist, path));
  const compressed = path.endsWith(COMPRESSED);
  const name = compressed ? path.slice(0, -COMPRESSED.length) : path;
  const asIs = compressed && /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(request.headers['accept-encoding'] ?? '');
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}${asIs ? '-br' : ''}"`;
  reply.headers({
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
