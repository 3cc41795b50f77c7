import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join, posix, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { errorCodes } from '../server/platform/problem.ts';
import { errorPages } from './errors.ts';
import { anchorsOf, linksOf } from './links.ts';
import { SECTIONS } from './navigation.ts';
import { operationsOf } from './openapi.ts';
import { referencePages } from './reference.ts';
import { samplesOf } from './samples.ts';
import { documentPaths } from './stage.ts';

const root = resolve(import.meta.dirname, '..');
const dist = join(import.meta.dirname, 'dist');
const MARKDOWN = ['*.md', 'docs/**/*.md', 'sdk/{README.md,*/README.md}', 'packaging/**/*.md'];
const NOT_OURS = /node_modules|^(release|site\/pages)\//;

/** The links of a Markdown file that lead nowhere. */
function deadLinks(file: string, text: string): string[] {
  return linksOf(text)
    .filter(({ target }) => !/^[a-z]+:/.test(target))
    .filter(({ target }) => {
      const [path = '', anchor] = target.split('#');
      const named = path === '' ? file : posix.join(posix.dirname(file), decodeURIComponent(path));
      const whole = join(root, named);
      if (!existsSync(whole)) return true;
      if (anchor === undefined || !statSync(whole).isFile() || !named.endsWith('.md')) return false;
      return !anchorsOf(path === '' ? text : readFileSync(whole, 'utf8')).has(anchor);
    })
    .map(({ target, line }) => `${file}:${line} ${target}`);
}

describe('Markdown files', () => {
  test('have no dead links and no dead anchors', () => {
    const files = globSync(MARKDOWN, { cwd: root }).filter((file) => !NOT_OURS.test(file.replaceAll('\\', '/')));
    assert.ok(files.length > 100);
    assert.deepEqual(
      files.flatMap((file) => deadLinks(file, readFileSync(join(root, file), 'utf8'))),
      [],
    );
  });

  test('a dead link is found, and code is left alone', () => {
    const text =
      '# One `two`\n[a](#one-two) [b](gone.md) [c](api.md#gone) [d](#gone) `[e](gone.md)`\n```\n[f](gone.md)\n```\n';
    assert.deepEqual(deadLinks('docs/glossary.md', text), [
      'docs/glossary.md:2 gone.md',
      'docs/glossary.md:2 api.md#gone',
      'docs/glossary.md:2 #gone',
    ]);
  });
});

describe('the navigation', () => {
  test('has every page of docs/, once', () => {
    const pages = SECTIONS.flatMap((section) => section.pages);
    assert.equal(new Set(pages).size, pages.length);
    assert.deepEqual(
      documentPaths().filter((path) => !pages.includes(path)),
      [],
    );
  });
});

type Place = { label: string; docs: string };

describe('the console', () => {
  test('each of its screens names a page of the documentation that exists', async () => {
    const address = pathToFileURL(join(root, 'console/src/shell/navigation.ts')).href;
    const navigation: { projectPlaces: { places: Place[] }[]; workspacePlaces: Place[] } = await import(address);
    const places = [...navigation.projectPlaces.flatMap((group) => group.places), ...navigation.workspacePlaces];
    assert.ok(places.length > 20);
    for (const { label, docs } of places) {
      const [page = '', anchor] = docs.split('#');
      assert.ok(documentPaths().includes(`${page}.md`), `${label}: ${docs}`);
      if (anchor === undefined) continue;
      assert.ok(anchorsOf(readFileSync(join(root, 'docs', `${page}.md`), 'utf8')).has(anchor), `${label}: ${docs}`);
    }
  });
});

describe('the pages of errors', () => {
  test('each code has one, which says what to do', () => {
    const pages = errorPages(referencePages());
    assert.equal(pages.size, errorCodes.length + 1);
    for (const code of errorCodes) assert.match(pages.get(`errors/${code}.md`) ?? '', /## What to do\n\n\w/, code);
  });

  test('it names the operations that return it', () => {
    const page = errorPages(referencePages()).get('errors/LAST_OWNER.md') ?? '';
    assert.match(page, /- \[Block a member\]\(\/reference\/admin-members#block-a-member\)/);
  });
});

describe('the samples', () => {
  test('each operation has one in each language, and those in TypeScript are well-formed', () => {
    for (const documented of [...operationsOf('api'), ...operationsOf('auth'), ...operationsOf('status')]) {
      const samples = samplesOf(documented);
      assert.deepEqual(
        samples.map(({ name }) => name),
        ['curl', 'TypeScript', 'Python', 'Go'],
      );
      assert.ok(
        samples.every(({ code }) => !/undefined|\[object/.test(code)),
        samples.map(({ code }) => code).join('\n'),
      );
      stripTypeScriptTypes(samples.find(({ language }) => language === 'ts')?.code ?? '');
    }
  });
});

describe('the built site', () => {
  const pages = new Map(
    globSync('**/*.html.br', { cwd: dist }).map((path) => [
      path.replaceAll('\\', '/').replace(/\.html\.br$/, ''),
      brotliDecompressSync(readFileSync(join(dist, path))).toString(),
    ]),
  );
  const pageAt = (path: string) => pages.get(path) ?? pages.get(posix.join(path, 'index'));
  const hasId = (page: string, id: string) => page.includes(` id="${id}"`);
  const isFile = (path: string) => path !== '' && [path, `${path}.br`].some((file) => existsSync(join(dist, file)));

  function leadsSomewhere(page: string, href: string): boolean {
    const [path = '', anchor = ''] = href.split('#');
    const name = path.slice('/docs/'.length).replace(/\/$/, '');
    const target = path === '' ? page : pageAt(name);
    return target === undefined ? isFile(name) : anchor === '' || hasId(target, decodeURIComponent(anchor));
  }

  test('is there; npm run build -w site makes it', () => assert.ok(pages.size > 100, `${pages.size} pages`));

  test('has no dead links and no dead anchors', () => {
    const dead = [...pages].flatMap(([name, page]) =>
      [...page.matchAll(/ (?:href|src)="(\/docs\/[^"]*|#[^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !leadsSomewhere(page, href))
        .map((href) => `${name}: ${href}`),
    );
    assert.deepEqual([...new Set(dead)], []);
  });

  test('has no inline scripts and no inline styles, which its policy refuses', () => {
    for (const [name, page] of pages) {
      assert.doesNotMatch(page, /<script(?![^>]* src=)[^>]*>/, name);
      assert.doesNotMatch(page, /<style|<[^>]+ on\w+="/, name);
    }
  });
});
