import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import sharp from 'sharp';
import { errorPages } from './errors.ts';
import { withLinks } from './links.ts';
import { BROUGHT } from './navigation.ts';
import { referenceIndex, referencePage, referencePages } from './reference.ts';

const root = resolve(import.meta.dirname, '..');
const staged = join(import.meta.dirname, 'pages');

/** Decisions are for those who change Latchkey, and examples are part of the guides. */
const ELSEWHERE = /^(decisions|guides\/examples)(\/|$)/;

/** The pages in `docs/` that the site has, by their path in it. */
export function documentPaths(): string[] {
  return globSync('**/*.md', { cwd: join(root, 'docs') })
    .filter((path) => !ELSEWHERE.test(path.replaceAll('\\', '/')))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
}

/** The path on the site of a Markdown file of the repository; null if it is not on the site. */
function pathOnSite(file: string, documents: ReadonlySet<string>): string | null {
  const brought = BROUGHT[file];
  if (brought !== undefined) return brought;
  if (!file.startsWith('docs/')) return null;
  const path = file.slice('docs/'.length);
  if (path === 'openapi') return 'reference/index.md';
  return documents.has(path) ? path.replace(/README\.md$/, 'index.md') : null;
}

/** A link of a file of the repository, as it is on the site. Null where only the repository has what it names. */
function linkOnSite(file: string, target: string, documents: ReadonlySet<string>): string | null {
  if (/^([a-z]+:|#)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const named = posix.join(posix.dirname(file), path).replace(/\/$/, '');
  if (named.startsWith('docs/images/')) return `/${named.slice('docs/'.length).replace(/png$/, 'webp')}`;
  const found = pathOnSite(named, documents);
  if (found === null) return null;
  return `/${found}${anchor === undefined ? '' : `#${anchor}`}`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(staged, path)), { recursive: true });
  writeFileSync(join(staged, path), text);
}

/** Pictures are made smaller, because a release carries them. */
async function writePictures(): Promise<void> {
  const folder = join(root, 'docs/images');
  const pictures = globSync('**/*.png', { cwd: folder });
  for (const path of globSync('**/*.svg', { cwd: folder }))
    write(`public/images/${path}`, readFileSync(join(folder, path), 'utf8'));
  await Promise.all(
    pictures.map(async (path) => {
      const to = join(staged, 'public/images', path.replace(/png$/, 'webp'));
      mkdirSync(dirname(to), { recursive: true });
      await sharp(join(folder, path)).resize({ width: 720, withoutEnlargement: true }).webp({ quality: 45 }).toFile(to);
    }),
  );
}

/** The first heading of a staged page. */
export function titleOf(path: string): string {
  const text = readFileSync(join(staged, path.replace(/README\.md$/, 'index.md')), 'utf8');
  return (/^# (.*)$/m.exec(text)?.[1] ?? path).replaceAll('`', '');
}

/** Writes every page of the site to `site/pages/`, as VitePress reads them. */
export async function stagePages(): Promise<void> {
  rmSync(staged, { recursive: true, force: true });
  const paths = documentPaths();
  const documents = new Set(paths);
  const files = [...paths.map((path) => `docs/${path}`), ...Object.keys(BROUGHT)];
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    write(
      pathOnSite(file, documents) ?? file,
      withLinks(text, (target) => linkOnSite(file, target, documents)),
    );
  }
  await writePictures();
  const reference = referencePages();
  write('reference/index.md', referenceIndex(reference));
  for (const page of reference) write(page.path, referencePage(page));
  for (const [path, text] of errorPages(reference)) write(path, text);
}
