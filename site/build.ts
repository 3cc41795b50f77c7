import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vitepress';
import { stagePages } from './stage.ts';

/**
 * Builds the documentation into `site/dist/`, unless what it is made of has not changed. Texts are kept compressed only, so that a
 * release stays small.
 */
const root = resolve(import.meta.dirname, '..');
const dist = join(import.meta.dirname, 'dist');
const MARK = join(dist, 'made-of.txt');
const INPUTS = [
  'docs/{*,{guides,log-streams,openapi,images}/**/*}.{md,json,svg,png}',
  '{CHANGELOG,SECURITY}.md',
  'sdk/{README.md,*/README.md}',
  'server/platform/problem.ts',
  'site/{*.{ts,json},.vitepress/*.ts,.vitepress/theme/*}',
];
const TEXT = new Set(['.html', '.js', '.css', '.svg', '.json']);
const INLINE_SCRIPT = /<script id="[\w-]+">([^<]*)<\/script>/g;

/** One name for everything that the site is made of. */
function inputs(): string {
  const hash = createHash('sha256');
  const files = globSync(INPUTS, { cwd: root }).filter((path) => !path.includes('.test.'));
  for (const path of files.sort()) hash.update(path).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** The policy of the pages allows no inline scripts, so these become one file. */
function withoutInlineScripts(page: string, scripts: Set<string>): string {
  return page
    .replace(/<\/head>/, '<script src="/docs/before.js"></script></head>')
    .replaceAll(INLINE_SCRIPT, (_, code: string) => {
      scripts.add(code);
      return '';
    });
}

function compress(): void {
  const scripts = new Set<string>();
  const files = globSync('**/*', { cwd: dist, withFileTypes: true }).filter((file) => file.isFile());
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    if (!TEXT.has(extname(path))) continue;
    const text = readFileSync(path, 'utf8');
    write(path, path.endsWith('.html') ? withoutInlineScripts(text, scripts) : text);
    rmSync(path);
  }
  write(join(dist, 'before.js'), [...scripts].join(';\n'));
}

function write(path: string, text: string): void {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  writeFileSync(`${path}.br`, brotliCompressSync(text, options));
}

const made = inputs();
if (!existsSync(MARK) || readFileSync(MARK, 'utf8') !== made) {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  await stagePages();
  await build(import.meta.dirname);
  compress();
  writeFileSync(MARK, made);
}
