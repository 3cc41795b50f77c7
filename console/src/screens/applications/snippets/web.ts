import expressEnv from '../../../../../sdk/create/templates/express/env?raw';
import expressServer from '../../../../../sdk/create/templates/express/server.js?raw';
import nextRoute from '../../../../../sdk/create/templates/nextjs/app/auth/[action]/route.js?raw';
import nextPage from '../../../../../sdk/create/templates/nextjs/app/page.js?raw';
import nextEnv from '../../../../../sdk/create/templates/nextjs/env?raw';
import nextLatchkey from '../../../../../sdk/create/templates/nextjs/latchkey.js?raw';
import nextProxy from '../../../../../sdk/create/templates/nextjs/proxy.js?raw';
import { type Facts, filled, type Snippet } from './snippet.ts';

/** The `.env` of a template, with the origin of this application. */
const envOf = (template: string) => (facts: Facts) =>
  filled(template, { ...facts, secret: facts.random }).replace('http://localhost:3000', facts.origin);

const next: Snippet = {
  key: 'nextjs',
  name: 'Next.js',
  kinds: ['web'],
  returnsTo: { home: 'http://localhost:3000', path: '/auth/callback', backchannelLogout: '/auth/backchannel-logout' },
  install: 'npx create-next-app@16 my-app --js --app --no-src-dir --yes && cd my-app\nnpm install @latchkey/next',
  env: envOf(nextEnv),
  files: () => [
    ['latchkey.js', nextLatchkey],
    ['proxy.js', nextProxy],
    ['app/auth/[action]/route.js', nextRoute],
    ['app/page.js', nextPage],
  ],
  run: 'npm run dev',
};

const express: Snippet = {
  key: 'express',
  name: 'Express',
  kinds: ['web'],
  returnsTo: { home: 'http://localhost:3000', path: '/callback', backchannelLogout: '/backchannel-logout' },
  install: 'npm init -y && npm pkg set type=module\nnpm install express jose openid-client',
  env: envOf(expressEnv),
  files: () => [['server.js', expressServer]],
  run: 'node --env-file=.env server.js',
};

/** Sample code for applications that render pages on a server: the templates of create-latchkey-app. */
export const WEB: readonly Snippet[] = [next, express];
