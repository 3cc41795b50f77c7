import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { TeamRole } from '#console-api';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { teammate } from '#tests/operators.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

const PEOPLE = ['Members', 'Invitations', 'Roles'];
const SIGN_IN = ['Applications', 'Methods and policy', 'Identity providers', 'Branding', 'Messages', 'Domains'];
const EVERYTHING = [
  ...[
    ...PEOPLE,
    ...SIGN_IN,
    'Webhooks',
    'Event log',
    'Audit log',
    'Dev inbox',
    'SMS add-on',
    'Status',
    'Project settings',
  ],
  ...['Projects', 'Team', 'Workspace settings'],
];

/** What each role of the team is not led to. */
const KEPT_FROM: Record<TeamRole, readonly string[]> = {
  owner: [],
  admin: [],
  developer: ['Audit log', 'SMS add-on'],
  billing: EVERYTHING.filter((place) => !['SMS add-on', 'Projects', 'Workspace settings'].includes(place)),
  support: [...SIGN_IN, 'Webhooks', 'Audit log', 'Dev inbox', 'SMS add-on', 'Project settings', 'Team'],
  analyst: ['Members', 'Invitations', ...SIGN_IN, 'Dev inbox', 'Project settings', 'Team'],
  viewer: ['Audit log', 'Dev inbox', 'SMS add-on'],
};

for (const role of ['owner', 'admin', 'developer', 'billing', 'support', 'analyst', 'viewer'] as const) {
  test(`${role}: the navigation leads where the role may look, and nowhere else`, async () => {
    const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, role) });
    await app.open('');
    const links = app.page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const places = EVERYTHING.filter((place) => !KEPT_FROM[role].includes(place));
    assert.deepEqual(await links.allTextContents(), ['Overview', ...places]);
    await app.context.close();
  });
}
