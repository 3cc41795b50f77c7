import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { seedComponents } from '#status';
import { openBrowser } from '#tests/browser.ts';
import {
  eventually,
  managementToken,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { expectNoOtherPictures, expectPicture, expectTranscript, tabForPictures } from '#tests/pictures.ts';

const HOUR = 3_600_000;
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänswitwenrente';

let latchkey: TestLatchkey;
let browser: Browser;
let page: Page;
let status: string;
let incident: TestResponse['body'];
before(async () => {
  [latchkey, browser] = await Promise.all([
    startTestLatchkey({ own: 'the status page belongs to the whole installation' }),
    openBrowser(),
  ]);
  await seedComponents(latchkey.system);
  status = `${latchkey.system.config.addresses.console}/status`;
  page = await tabForPictures(browser);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

async function made(path: string, body: unknown): Promise<TestResponse['body']> {
  const response = await latchkey.api(`/v1/admin/status${path}`, { token: await managementToken(latchkey), body });
  assert.ok(response.status < 300, response.text);
  return response.body;
}

async function open(path: string): Promise<void> {
  const response = await page.goto(`${status}${path}?environment=test`);
  assert.equal(response?.status(), 200);
}

/** Compares the page with its sheet, without the times of this run. */
async function expectStatus(name: string): Promise<void> {
  await page.evaluate(() => {
    const { document } = Object(globalThis);
    for (const time of document.querySelectorAll('time')) time.textContent = '2 March, 09:30 UTC';
    for (const line of document.querySelectorAll('h1 + p'))
      line.textContent = line.textContent.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, '2026-03-02 09:30');
  });
  await expectPicture(page, `status-${name}`);
}

describe('the status page looks as accepted', () => {
  test('before anything has happened', async () => {
    await open('');
    await expectStatus('quiet');
  });

  test('during an incident, before maintenance', async () => {
    await made('/incidents', {
      title: `${LONG} ${LONG}`,
      body: 'Sign-ins by text message are slow.',
      severity: 'minor',
      componentStatuses: { email: 'degraded_performance' },
    });
    incident = await made('/incidents', {
      title: 'Sign-ins fail',
      body: 'We see errors at a part of the sign-ins and look for the cause.',
      severity: 'major',
      componentStatuses: { auth: 'partial_outage' },
    });
    await made('/maintenances', {
      title: 'The database moves',
      body: 'Sign-ins stop for a minute.',
      beginsAt: new Date(Date.now() + 24 * HOUR).toISOString(),
      endsAt: new Date(Date.now() + 25 * HOUR).toISOString(),
      componentIds: ['auth'],
    });
    await eventually(async () => {
      await open('');
      assert.ok(await page.getByText('The database moves').isVisible());
    });
    await expectStatus('incident');
    await expectTranscript(page, 'status-incident');
  });

  test('one incident, and the history', async () => {
    await open(`/incidents/${incident.id}`);
    await expectStatus('one-incident');
    await open('/incidents');
    await expectStatus('history');
  });

  test('and there are pictures of no other page', () => expectNoOtherPictures('status'));
});
