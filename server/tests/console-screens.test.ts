import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Response } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { faultsOf, openConsole } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { signInOperator } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const SCREENS = [
  ['', 'Overview'],
  ['/members', 'Members'],
  ['/members/import', 'Import members'],
  ['/invitations', 'Invitations'],
  ['/roles', 'Roles and permissions'],
  ['/applications', 'Applications'],
  ['/applications/new', 'Add an application'],
  ['/apis', 'APIs'],
  ['/sign-in', 'Sign-in methods and policy'],
  ['/providers', 'Identity providers'],
  ['/branding', 'Branding'],
  ['/messages', 'Messages'],
  ['/messages/sent', 'Messages'],
  ['/messages/verify_email', 'Verify email'],
  ['/domains', 'Domains'],
  ['/webhooks', 'Webhooks'],
  ['/webhooks/deliveries', 'Webhooks'],
  ['/webhooks/event-types', 'Webhooks'],
  ['/events', 'Event log'],
  ['/audit', 'Audit log'],
  ['/sms', 'SMS add-on'],
  ['/sms/guard', 'SMS add-on'],
  ['/sms/statements', 'SMS add-on'],
  ['/status', 'Status'],
  ['/status/maintenance', 'Status'],
  ['/status/components', 'Status'],
  ['/status/subscribers', 'Status'],
  ['/status/settings', 'Status'],
  ['/inbox', 'Dev inbox'],
  ['/settings', 'Project settings'],
] as const;
const OF_THE_WORKSPACE = [
  ['/projects', 'Projects'],
  ['/team', 'Team'],
  ['/workspace', 'Workspace settings'],
] as const;

describe('every screen of the console passes axe-core, fits its width, and keeps to the content security policy', () => {
  for (const [colorScheme, width] of [
    ['light', 1440],
    ['dark', 390],
  ] as const) {
    test(`${colorScheme}, at ${width} px`, async () => {
      await register(latchkey);
      const operator = await signInOperator(latchkey);
      const app = await openConsole(latchkey, browser, { operator, colorScheme, width });
      const faults: string[] = [];
      const check = async (path: string, title: string) => {
        await eventually(async () =>
          assert.equal(await app.page.getByRole('heading', { level: 1 }).textContent(), title, path),
        );
        const found = [...(await faultsOf(app.page)), ...app.complaints()];
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      };
      const { body: members } = await operator.call('/console/v1/members?limit=1&q=owner');
      const { body: applications } = await operator.call('/console/v1/applications?limit=1');
      const { body: apis } = await operator.call('/console/v1/apis?limit=1');
      const { body: providers } = await operator.call('/console/v1/identity-providers?limit=1');
      const records = [
        [`/members/${members.items[0].id}`, members.items[0].displayName],
        [`/applications/${applications.items[0].id}`, applications.items[0].name],
        [`/apis/${apis.items[0].id}`, apis.items[0].name],
        [`/providers/${providers.items[0].id}`, providers.items[0].name],
      ] as const;
      for (const [path, title] of [...SCREENS, ...records]) {
        // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
        await app.open(path);
        await check(path, title);
      }
      for (const [path, title] of OF_THE_WORKSPACE) {
        // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
        await app.openWorkspace(path);
        await check(path, title);
      }
      assert.deepEqual(faults, []);
      await app.context.close();
    });
  }
});

/** The size limit of the first screen, which takes about two seconds to load at 1 Mbit/s. */
const MAX_BYTES = 250_000;

test('the first screen, with its charts, loads at most 250 kB of compressed JavaScript', async () => {
  await register(latchkey);
  await register(latchkey);
  const app = await openConsole(latchkey, browser);
  const scripts: Response[] = [];
  app.page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js')) scripts.push(response);
  });
  await app.open('');
  await app.page.getByRole('img', { name: 'Sign-ins per day' }).waitFor();
  const loaded = await Promise.all(
    scripts.map(async (script) => ({
      compressed: (await script.headerValue('content-encoding')) === 'br',
      bytes: (await script.request().sizes()).responseBodySize,
    })),
  );
  const bytes = loaded.reduce((sum, script) => sum + script.bytes, 0);
  assert.ok(bytes > 50_000 && bytes <= MAX_BYTES, `${bytes} bytes`);
  // The script that sets the theme before the first paint is too small for compression to help.
  assert.deepEqual(
    loaded.filter((script) => !script.compressed && script.bytes > 1_000),
    [],
  );
  await app.context.close();
});
