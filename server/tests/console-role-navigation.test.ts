import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { TeamRole } from '#operators';
import { openBrowser } from '#tests/browser.ts';
import { openConsole } from '#tests/console-app.ts';
import { eventually, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
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

const PEOPLE = ['Members', 'Invitations', 'Organizations', 'Roles', 'Authorization'];
const SIGN_IN = ['Applications', 'Methods and policy', 'Identity providers', 'Branding', 'Messages', 'Domains'];
const EVERYTHING = [
  'Insight',
  ...PEOPLE,
  ...SIGN_IN,
  'APIs',
  'Webhooks',
  'Actions',
  'Event log',
  'Audit log',
  'Log streams',
  'Dev inbox',
  'SMS add-on',
  'Status',
  'Promotion',
  'Project settings',
  'Projects',
  'Team',
  'Workspace settings',
];

const SUPPORT = [
  ...SIGN_IN,
  'APIs',
  'Webhooks',
  'Actions',
  'Audit log',
  'Log streams',
  'Dev inbox',
  'SMS add-on',
  'Promotion',
  'Project settings',
  'Team',
];

/** The screens that the navigation does not show to each role. */
const KEPT_FROM: Record<TeamRole, readonly string[]> = {
  owner: [],
  admin: [],
  developer: ['Audit log', 'SMS add-on'],
  billing: EVERYTHING.filter((place) => !['SMS add-on', 'Projects', 'Workspace settings'].includes(place)),
  support: SUPPORT,
  senior_support: SUPPORT,
  analyst: [
    'Members',
    'Invitations',
    'Organizations',
    ...SIGN_IN,
    'APIs',
    'Actions',
    'Log streams',
    'Dev inbox',
    'Promotion',
    'Project settings',
    'Team',
  ],
  viewer: ['Audit log', 'Dev inbox', 'SMS add-on'],
};

for (const role of TeamRole.enum) {
  test(`${role}: the navigation contains the screens that the role may read, and no others`, async () => {
    const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, role) });
    await app.open('');
    const links = app.page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const places = EVERYTHING.filter((place) => !KEPT_FROM[role].includes(place));
    await eventually(async () => assert.deepEqual(await links.allTextContents(), ['Overview', ...places]));
    const headings = await app.page.getByText('People', { exact: true }).isVisible();
    assert.equal(
      headings,
      places.some((place) => PEOPLE.includes(place)),
      'no heading stands above nothing',
    );
    await app.context.close();
  });
}
