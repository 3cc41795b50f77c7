import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Response } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { faultsOf, openConsole } from '#tests/console-app.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
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

/** Neighbours have different titles, so that a new title proves that the next screen is shown. */
const SCREENS = [
  ['/members', 'Members'],
  ['/members/import', 'Import members'],
  ['/invitations', 'Invitations'],
  ['/organizations', 'Organizations'],
  ['/roles', 'Roles and permissions'],
  ['/organizations/roles', 'Organizations'],
  ['/authorization', 'Authorization'],
  ['/applications', 'Applications'],
  ['/applications/new', 'Add an application'],
  ['/authorization/types', 'Authorization'],
  ['/apis', 'APIs'],
  ['/authorization/relations', 'Authorization'],
  ['/sign-in', 'Sign-in methods and policy'],
  ['/providers', 'Identity providers'],
  ['/branding', 'Branding'],
  ['/messages', 'Messages'],
  ['/domains', 'Domains'],
  ['/messages/sent', 'Messages'],
  ['/messages/verify_email', 'Verify email'],
  ['/webhooks', 'Webhooks'],
  ['/events', 'Event log'],
  ['/insight', 'Insight'],
  ['/webhooks/deliveries', 'Webhooks'],
  ['/audit', 'Audit log'],
  ['/webhooks/event-types', 'Webhooks'],
  ['/log-streams', 'Log streams'],
  ['/actions', 'Actions'],
  ['/sms', 'SMS add-on'],
  ['/status', 'Status'],
  ['/sms/guard', 'SMS add-on'],
  ['/status/maintenance', 'Status'],
  ['/sms/statements', 'SMS add-on'],
  ['/status/components', 'Status'],
  ['/inbox', 'Dev inbox'],
  ['/status/subscribers', 'Status'],
  ['/settings', 'Project settings'],
  ['/status/settings', 'Status'],
  ['/promotion', 'Promotion'],
  ['/status/templates', 'Status'],
] as const;
const OF_THE_WORKSPACE = [
  ['/projects', 'Projects'],
  ['/team', 'Team'],
  ['/workspace', 'Workspace settings'],
  ['/team/log-streams', 'Team'],
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
      const check = async (path: string) => {
        const found = [...(await faultsOf(app.page)), ...app.complaints()];
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      };
      const { body: members } = await operator.call('/console/v1/members?limit=1&q=owner');
      const { body: applications } = await operator.call('/console/v1/applications?limit=1');
      const { body: apis } = await operator.call('/console/v1/apis?limit=1');
      const { body: providers } = await operator.call('/console/v1/identity-providers?limit=1');
      const { body: organization } = await operator.call('/console/v1/organizations', { body: { name: 'Acme' } });
      const joining = { memberId: members.items[0].id, roles: ['owner'] };
      await operator.call(`/console/v1/organizations/${organization.id}/members`, { body: joining });
      await operator.call('/console/v1/organization-roles', { body: { key: `at-${width}`, name: 'Clerk' } });
      const type = { key: `at-${width}`, name: 'Document', relations: [{ key: 'viewer', permissions: [] }] };
      await operator.call('/console/v1/authorization/types', { body: type });
      const host = `login.at-${width}.example`;
      const customDomains = `/console/v1/organizations/${organization.id}/custom-domains`;
      const { body: domain } = await operator.call(customDomains, { body: { host } });
      const records = [
        [`/organizations/${organization.id}`, 'Acme'],
        [`/organizations/roles/at-${width}`, 'Clerk'],
        [`/domains/${domain.id}`, host],
        [`/organizations/${organization.id}/domains`, 'Acme'],
        [`/authorization/types/at-${width}`, 'Document'],
        [`/organizations/${organization.id}/branding`, 'Acme'],
        [`/members/${members.items[0].id}`, members.items[0].displayName],
        [`/organizations/${organization.id}/directory`, 'Acme'],
        [`/applications/${applications.items[0].id}`, applications.items[0].name],
        [`/organizations/${organization.id}/connections`, 'Acme'],
        [`/apis/${apis.items[0].id}`, apis.items[0].name],
        [`/providers/${providers.items[0].id}`, providers.items[0].name],
      ] as const;
      await app.open('');
      await check('');
      for (const [path, title] of [...SCREENS, ...records]) {
        // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
        await app.goTo(path, title);
        await check(path);
      }
      for (const [path, title] of OF_THE_WORKSPACE) {
        // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
        await app.goToWorkspace(path, title);
        await check(path);
      }
      assert.deepEqual(faults, []);
      await app.context.close();
    });
  }

  test('the address of every screen loads the same page, which shows that screen', async () => {
    const { workspaceId, projects } = latchkey.demo;
    const { console: origin } = latchkey.system.config.addresses;
    const pages = await Promise.all(
      [
        ...SCREENS.map(([path]) => `/${workspaceId}/${projects[0]?.id}/test${path}`),
        ...OF_THE_WORKSPACE.map(([path]) => `/${workspaceId}${path}`),
      ].map(async (path) => {
        const response = await fetch(`${origin}/console${path}`);
        return `${response.status} ${withoutNonce(await response.text())}`;
      }),
    );
    assert.equal(new Set(pages).size, 1);
    assert.match(pages[0] ?? '', /^200 .*<script type="module"/s);
  });
});

function withoutNonce(page: string): string {
  const [nonce = ''] = /(?<=nonce" content=")[^"]+/.exec(page) ?? [];
  assert.notEqual(nonce, '');
  return page.replaceAll(nonce, '');
}

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
