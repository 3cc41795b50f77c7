import { globSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { slug } from '../links.ts';
import { SECTIONS } from '../navigation.ts';
import { titleOf } from '../stage.ts';
import { highlighted } from './highlight.ts';

type Item = { text: string; link: string };

function item(path: string): Item {
  return { text: titleOf(path), link: `/${path.replace(/(README|index)\.md$/, '').replace(/\.md$/, '')}` };
}

/** The pages of a folder, which has its own navigation: all of them in every page would make each page large. */
function folder(name: string, heading: string) {
  const paths = globSync('*.md', { cwd: join(import.meta.dirname, '../pages', name) }).sort();
  const others = paths.filter((path) => path !== 'index.md').map((path) => item(`${name}/${path}`));
  return [
    { text: 'All documentation', link: '/' },
    { text: heading, link: `/${name}/`, items: others },
  ];
}

const main = SECTIONS.map(({ name, pages }) => ({ text: name, collapsed: false, items: pages.map(item) }));

export default defineConfig({
  title: 'Latchkey',
  description: 'Documentation of Latchkey',
  lang: 'en',
  base: '/docs/',
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: 'pages/.cache',
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: { html: false, highlight: highlighted, anchor: { slugify: slug } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/guides/' },
      { text: 'API reference', link: '/reference/' },
      { text: 'Errors', link: '/errors/' },
      { text: 'Changes', link: '/changelog' },
      { text: 'Console', link: '/console/', target: '_self' },
    ],
    sidebar: {
      '/': main,
      '/reference/': folder('reference', 'API reference'),
      '/errors/': folder('errors', 'Errors'),
    },
  },
});
