import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, openConsole } from '#tests/console-app.ts';
import { PASSWORD, register, startTestLatchkey, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { type Operator, signInOperator } from '#tests/operators.ts';
import { expectNoOtherPictures, expectPicture, expectTranscript, FOR_PICTURES } from '#tests/pictures.ts';

const NOW = Date.UTC(2026, 2, 2, 9, 30);
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrente';
const PEOPLE = ['Ada Lovelace', 'Grace Hopper', `Hedwig ${LONG}`, 'Edsger Dijkstra', 'Barbara Liskov'];
const clock = new TestClock(NOW);

let latchkey: TestLatchkey;
let browser: Browser;
let operator: Operator;
let app: ConsoleApp;
/** The paths of records, by what they are. */
const paths: Record<string, string> = {};

before(async () => {
  [latchkey, browser] = await Promise.all([
    startTestLatchkey({ clock, own: 'the screens show what is in the workspace' }),
    openBrowser(),
  ]);
  operator = await signedInToday();
  await makeRecords();
  app = await openConsole(latchkey, browser, { ...FOR_PICTURES, operator });
  await app.context.clock.setFixedTime(clock.now());
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

/** The console checks ID tokens against the time of this machine. */
async function signedInToday(): Promise<Operator> {
  const sinceThen = Date.now() - NOW;
  clock.advance(sinceThen);
  const signedIn = await signInOperator(latchkey);
  clock.advance(-sinceThen);
  return signedIn;
}

async function makeRecords(): Promise<void> {
  const made = async (path: string, body: unknown) => {
    const response = await operator.call(`/console/v1${path}`, { method: 'POST', body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  const listed = async (path: string) => (await operator.call(`/console/v1${path}`)).body.items;
  for (const displayName of PEOPLE) {
    const email = `${displayName.toLowerCase().replaceAll(/[^a-z]+/g, '.')}@example.com`;
    // biome-ignore lint/performance/noAwaitInLoops: in this order
    await register(latchkey, { email, profile: { displayName } });
    await latchkey.auth('/v1/auth/login/password', { body: { identifier: email, password: PASSWORD } });
    clock.advance(3_600_000);
  }
  const [member] = await listed('/members?q=ada.lovelace');
  const [application] = await listed('/applications');
  const [provider] = await listed('/identity-providers');
  const organization = await made('/organizations', { name: 'Acme Rockets' });
  await made('/organizations', { name: LONG });
  await made(`/organizations/${organization.id}/members`, { memberId: member.id, roles: ['owner'] });
  const endpoint = await made('/webhooks/endpoints', { url: 'https://hooks.example.com/latchkey', events: ['user.*'] });
  const domain = await made('/domains', { host: 'login.example.com' });
  const incident = await made('/status/incidents', {
    title: 'Mail delivery is delayed',
    body: 'We look into it.',
    severity: 'minor',
  });
  const api = await made('/apis', { identifier: 'https://api.example.com', name: 'Orders' });
  await made('/invitations', { email: 'waiting@example.com' });
  await made('/roles', { key: 'clerk', name: 'Clerk', permissions: [] });
  Object.assign(paths, {
    member: `/members/${member.id}`,
    application: `/applications/${application.id}`,
    provider: `/providers/${provider.id}`,
    organization: `/organizations/${organization.id}`,
    endpoint: `/webhooks/${endpoint.id}`,
    domain: `/domains/${domain.id}`,
    incident: `/status/${incident.id}`,
    api: `/apis/${api.id}`,
  });
}

/** Replaces what differs from run to run: ids, secrets and ports. */
function steady({ page }: ConsoleApp): Promise<void> {
  return page.evaluate(() => {
    const { document, NodeFilter } = Object(globalThis);
    const same = (text: string) =>
      text
        .replaceAll(/\b([a-z]{3,4})_[0-9a-z]{16,}/g, '$1_01kaz3w9hqf8p9n2m4v5x6y7z8')
        .replaceAll(/\b[0-9a-z]{8}\.[\w-]{16}(?![\w-])/g, 'k3m9p2qx.A1b2C3d4E5f6G7h8')
        .replaceAll(/(latchkey-verification=)[\w-]+/g, '$1A1b2C3d4E5f6G7h8A1b2C3d4E5f6G7h8')
        .replaceAll(/^…[\w-]{4}$/g, '…a1b2')
        .replaceAll(/:\d{4,5}\b/g, ':4000');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) node.nodeValue = same(node.nodeValue);
    for (const field of document.querySelectorAll('input, textarea')) field.value = same(field.value);
    for (const named of document.querySelectorAll('[aria-label]')) named.ariaLabel = same(named.ariaLabel);
  });
}

async function expectScreen(name: string): Promise<void> {
  await steady(app);
  await expectPicture(app.page, `console-${name}`);
}

const LISTS = [
  ...['insight', 'members', 'invitations', 'organizations', 'roles', 'authorization', 'applications', 'sign-in'],
  ...['providers', 'branding', 'messages', 'domains', 'apis', 'webhooks', 'actions', 'events', 'audit'],
  ...['log-streams', 'inbox', 'sms', 'status', 'promotion', 'settings'],
];
const RECORDS = ['member', 'application', 'provider', 'organization', 'endpoint', 'domain', 'incident', 'api'];
const OF_THE_WORKSPACE = ['projects', 'team', 'workspace'];

describe('the screens of the console look as accepted', () => {
  test('the overview', async () => {
    await app.open('');
    await expectScreen('overview');
  });

  for (const path of LISTS)
    test(path, async () => {
      await app.open(`/${path}`);
      await expectScreen(path);
    });

  for (const name of RECORDS)
    test(`one ${name}`, async () => {
      await app.open(paths[name] ?? '');
      await expectScreen(`one-${name}`);
    });

  for (const path of OF_THE_WORKSPACE)
    test(`${path} of the workspace`, async () => {
      await app.openWorkspace(`/${path}`);
      await expectScreen(`workspace-${path}`);
    });

  test('what a screen reader says of a member', async () => {
    await app.open(paths['member'] ?? '');
    await steady(app);
    await expectTranscript(app.page, 'console-one-member');
  });

  test('a list that is empty, one that fails, and one that is refused', async () => {
    await app.open('/members?q=nobody');
    await expectScreen('empty');
    await app.page.route('**/console/v1/members?*', (route) => route.fulfill({ status: 503 }));
    await app.open('/members');
    await app.page.getByRole('alert').first().waitFor();
    await expectScreen('failed');
    await app.page.unrouteAll();
  });

  test('and there are pictures of no other screen', () => expectNoOtherPictures('console'));
});
