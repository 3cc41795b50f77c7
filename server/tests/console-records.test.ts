import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, faultsOf, openConsole } from '#tests/console-app.ts';
import { startDns, type TestDns } from '#tests/domains.ts';
import { eventually, startTestLatchkey, type TestLatchkey, type TestResponse } from '#tests/harness.ts';

let dns: TestDns;
let latchkey: TestLatchkey;
let browser: Browser;
let app: ConsoleApp;
before(async () => {
  dns = await startDns();
  [latchkey, browser] = await Promise.all([
    startTestLatchkey({ settings: { LATCHKEY_DNS_SERVERS: dns.address } }),
    openBrowser(),
  ]);
  app = await openConsole(latchkey, browser);
  await app.open('');
});
after(async () => {
  await browser.close();
  await latchkey.stop();
  dns.stop();
});

const LOOKS = [
  ['light', 1440],
  ['dark', 1440],
  ['dark', 390],
  ['light', 390],
] as const;

/** The faults that axe-core finds on the current screen, in both themes at both widths. */
async function faultsInEveryLook(): Promise<string[]> {
  const { page } = app;
  const faults: string[] = [];
  for (const [colorScheme, width] of LOOKS) {
    // biome-ignore lint/performance/noAwaitInLoops: one page, one look after the other
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.setViewportSize({ width, height: 900 });
    const found = [...(await faultsOf(page)), ...app.complaints()];
    faults.push(...found.map((fault) => `${colorScheme}, ${width} px: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
  return faults;
}

async function made(path: string, body: unknown): Promise<TestResponse['body']> {
  const response = await app.operator.call(`/console/v1${path}`, { method: 'POST', body });
  assert.ok(response.status < 300, response.text);
  return response.body;
}

describe('a record passes axe-core in both themes at both widths', () => {
  const expectAccessible = async (path: string, title: string) => {
    await app.goTo(path, title);
    assert.deepEqual(await faultsInEveryLook(), []);
  };

  test('a domain that waits for verification, and one that is verified and bound', async () => {
    const waiting = await made('/domains', { host: 'waiting.example.com' });
    await expectAccessible(`/domains/${waiting.id}`, 'waiting.example.com');
    const { id, verification } = await made('/domains', { host: 'login.example.com' });
    dns.zone.set(verification.name, [[verification.value]]);
    await made(`/domains/${id}/verify`, {});
    const projectId = latchkey.demo.projects[0]?.id;
    await made(`/domains/${id}/bindings`, { projectId, environment: 'test', purpose: 'auth' });
    await expectAccessible(`/domains/${id}`, 'login.example.com');
  });

  test('an endpoint, and one of its deliveries', async () => {
    const url = 'http://127.0.0.1:9/hooks';
    const { id } = await made('/webhooks/endpoints', { url, events: ['user.*'] });
    await made(`/webhooks/endpoints/${id}/test`, {});
    const delivery = await eventually(async () => {
      const { items } = (await app.operator.call(`/console/v1/webhooks/deliveries?endpointId=${id}`)).body;
      assert.equal(items[0]?.status, 'retrying');
      return items[0];
    });
    await expectAccessible(`/webhooks/${id}`, url);
    await expectAccessible(`/webhooks/deliveries/${delivery.id}`, delivery.eventType);
  });

  test('an incident', async () => {
    const title = 'Mail waits in the queue';
    const { id } = await made('/status/incidents', { title, body: 'We look into it.', severity: 'minor' });
    await expectAccessible(`/status/${id}`, title);
  });
});

describe('a form in a dialog passes axe-core in both themes at both widths', () => {
  /** Neighbours have different titles, so that a new title proves that the next screen is shown. */
  const FORMS = [
    ['/members', 'Members', ['Add member']],
    ['/invitations', 'Invitations', ['Invite a member']],
    ['/roles', 'Roles and permissions', ['Add role', 'Add permission']],
    ['/status', 'Status', ['Report an incident']],
    ['/providers', 'Identity providers', ['Add provider']],
    ['/status/maintenance', 'Status', ['Plan maintenance']],
    ['/domains', 'Domains', ['Add domain']],
    ['/status/components', 'Status', ['Add component', 'Add group']],
    ['/webhooks', 'Webhooks', ['Add endpoint']],
    ['/settings', 'Project settings', ['Delete project…']],
  ] as const;
  const OF_THE_WORKSPACE = [
    ['/projects', 'Projects', ['Add project']],
    ['/team', 'Team', ['Invite to the team']],
    ['/workspace', 'Workspace settings', ['Delete workspace…']],
  ] as const;
  const expectAccessible = async (buttons: readonly string[]) => {
    const dialog = app.page.getByRole('dialog');
    for (const name of buttons) {
      // biome-ignore lint/performance/noAwaitInLoops: one dialog after the other
      await app.page.getByRole('button', { name, exact: true }).first().click();
      await dialog.getByRole('textbox').first().waitFor();
      assert.deepEqual(await faultsInEveryLook(), []);
      await app.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  };

  for (const [path, title, buttons] of FORMS)
    test(buttons.join(', '), async () => {
      await app.goTo(path, title);
      await expectAccessible(buttons);
    });
  for (const [path, title, buttons] of OF_THE_WORKSPACE)
    test(buttons.join(', '), async () => {
      await app.goToWorkspace(path, title);
      await expectAccessible(buttons);
    });
});
