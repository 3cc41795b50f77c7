import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, expectShown, faultsOf, openConsole, said, shown } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Receiver, respondWith, startReceiver } from '#tests/receiver.ts';

let latchkey: TestLatchkey;
let browser: Browser;
let receiver: Receiver;
let app: ConsoleApp;
let page: Page;
before(async () => {
  [latchkey, browser, receiver] = await Promise.all([startTestLatchkey(), openBrowser(), startReceiver()]);
  app = await openConsole(latchkey, browser);
  page = app.page;
});
after(async () => {
  await browser.close();
  await Promise.all([latchkey.stop(), receiver.stop()]);
});

const read = async (path: string) => (await app.operator.call(`/console/v1${path}`)).body;
const button = (name: string) => page.getByRole('button', { name, exact: true });

async function endpointAt(path: string): Promise<string> {
  const made = await app.operator.call('/console/v1/webhooks/endpoints', {
    body: { url: receiver.origin + path, events: ['user.created'], headers: { 'x-api-key': 'hidden' } },
  });
  return made.body.id;
}

async function deliveryTo(endpointId: string, status: string) {
  return eventually(async () => {
    const [found] = (await read(`/webhooks/deliveries?endpointId=${endpointId}`)).items;
    assert.equal(found?.status, status);
    return found;
  });
}

describe('a delivery in the console', () => {
  test('shows the request and the response, and can be sent again', async () => {
    receiver.on('/shop', respondWith(500, {}, 'the shelf is full'));
    const endpointId = await endpointAt('/shop');
    const { email } = await register(latchkey);
    const { id, eventId } = await deliveryTo(endpointId, 'retrying');
    await app.open(`/webhooks/deliveries/${id}`);
    await page.locator('pre', { hasText: `"email": "${email}"` }).waitFor();
    await button('Copy webhook-id').waitFor();
    await eventually(async () =>
      assert.equal(await page.getByText(eventId, { exact: true }).count(), 2, 'as the event and as a header'),
    );
    await page.getByText('[redacted]').first().waitFor();
    await page.locator('pre', { hasText: 'the shelf is full' }).first().waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await app.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await button('Copy the payload').click();
    const clipboard = () => page.evaluate(() => Object(globalThis).navigator.clipboard.readText());
    await eventually(async () => assert.equal(await clipboard(), receiver.at('/shop')[0]?.body));

    receiver.on('/shop', respondWith(200));
    await button('Retry now').click();
    await said(page, 'Delivery queued for retry');
    await page.getByRole('button', { name: /200\s*Attempt/ }).waitFor();
    await page.getByRole('button', { name: /500\s*Attempt 1/ }).click();
    await page.waitForURL(/attempt=1/);
    await page.locator('pre', { hasText: 'the shelf is full' }).first().waitFor();
    await page.reload();
    await shown(page);
    await page.locator('pre', { hasText: 'the shelf is full' }).first().waitFor();
  });

  test('says that its event is no longer in the log', async () => {
    const endpointId = await endpointAt('/gone');
    await register(latchkey);
    const { id, eventId } = await deliveryTo(endpointId, 'delivered');
    await latchkey.system.pool.query('delete from events where id = $1', [eventId]);
    await app.open(`/webhooks/deliveries/${id}`);
    await expectShown(page.getByText('Event no longer in the log'));
  });
});

describe('past events', () => {
  test('can be replayed to an endpoint, with their original ids', async () => {
    await register(latchkey);
    const endpointId = await endpointAt('/again');
    await app.open(`/webhooks/${endpointId}`);
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Replay events…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByLabel('From').fill('2020-01-01T00:00');
    await dialog.getByLabel('Until').fill('2019-01-01T00:00');
    assert.deepEqual(await faultsOf(page), []);
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.locator('[aria-invalid=true]').first().waitFor();
    await dialog.getByLabel('Until').fill('');
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await said(page, 'Replay started');
    await dialog.waitFor({ state: 'detached' });
    const { rows } = await latchkey.system.pool.query(
      `select id from events where workspace_id = $1 and project_id = $2 and environment = 'test' and type = 'user.created'`,
      [latchkey.demo.workspaceId, latchkey.demo.projects[0]?.id],
    );
    const ids = rows.map(({ id }) => id).sort();
    assert.ok(ids.length >= 2, 'the demo’s owner and who registered');
    // An event from just before may also be delivered normally: delivery is at least once.
    const idsReceived = () => [...new Set(receiver.at('/again').map((got) => got.headers['webhook-id']))].sort();
    await eventually(async () => assert.deepEqual(idsReceived(), ids));
    await app.open(`/webhooks/deliveries?endpointId=${endpointId}`);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').first().click();
    await page.getByText('Replay', { exact: true }).waitFor();
  });

  test('is listed with a long name and a long address without scrolling sideways', async () => {
    const long = 'donaudampfschifffahrtsgesellschaft'.repeat(2);
    const endpointId = await endpointAt(`/${long}`);
    await register(latchkey, { profile: { displayName: long } });
    await deliveryTo(endpointId, 'delivered');
    for (const width of [390, 1440]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      await page.setViewportSize({ width, height: 900 });
      await app.open(`/webhooks/deliveries?endpointId=${endpointId}`);
      const table = page.getByRole('table', { name: 'Deliveries' });
      await table.getByText(long, { exact: true }).filter({ visible: true }).waitFor();
      const [whole, visible] = await table.evaluate((element) => {
        const { scrollWidth, parentElement } = Object(element);
        return [scrollWidth, parentElement.clientWidth];
      });
      assert.ok(whole <= visible, `${whole} of ${visible} pixels at ${width}`);
    }
  });

  test('names the person that its event is about, in every list, with a link to the member', async () => {
    receiver.on('/people', respondWith(204));
    const endpointId = await endpointAt('/people');
    const person = await register(latchkey, { profile: { displayName: 'Dora Delivered' } });
    await deliveryTo(endpointId, 'delivered');
    for (const path of [`/webhooks/${endpointId}`, `/webhooks/deliveries?endpointId=${endpointId}`]) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      await app.open(path);
      await page.getByRole('table', { name: 'Deliveries' }).getByRole('link', { name: 'Dora Delivered' }).waitFor();
    }
    assert.deepEqual(await faultsOf(page), []);
    await page.getByRole('link', { name: 'Dora Delivered' }).click();
    await page.getByRole('heading', { level: 1, name: 'Dora Delivered' }).waitFor();
    await page.getByText(person.email).first().waitFor();
  });

  test('every event type is listed, also beyond the first page of the API', async () => {
    await app.open('/webhooks/event-types');
    const typesFrom = async (cursor = ''): Promise<string[]> => {
      const { items, nextCursor } = await read(`/webhooks/event-types?limit=100${cursor}`);
      const types = items.map(({ type }: { type: string }) => type);
      return nextCursor ? [...types, ...(await typesFrom(`&cursor=${nextCursor}`))] : types;
    };
    const types = await typesFrom();
    assert.ok(types.length > 100, 'one page of the API has up to 100');
    await eventually(async () => assert.equal(await page.getByRole('button').locator('code').count(), types.length));
    const typeCalled = (type = '') => page.getByRole('button', { name: new RegExp(`^${RegExp.escape(type)}`) });
    await page.getByLabel('Find an event type').fill(types.at(-1) ?? '');
    await typeCalled(types[0]).waitFor({ state: 'detached' });
    await typeCalled(types.at(-1)).waitFor();
  });
});

describe('the events of an endpoint', () => {
  const checkbox = (name: string) => page.getByRole('checkbox', { name, exact: true });

  test('are chosen as groups and single types, found by search, and added together', async () => {
    await app.open('/webhooks?new=1');
    await page.getByRole('textbox', { name: 'Address' }).fill(`${receiver.origin}/chosen`);
    await checkbox('user.*').uncheck();
    const search = page.getByRole('searchbox', { name: 'Find an event type' });
    await search.fill('role.created');
    await checkbox('role.created').check();
    await checkbox('user.*').waitFor({ state: 'detached' });
    assert.deepEqual(await faultsOf(page), []);
    await search.fill('');
    await checkbox('webhook.*').check();
    await button('Add').click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { level: 1, name: `${receiver.origin}/chosen` }).waitFor();
    const { items } = await read('/webhooks/endpoints?limit=100');
    const { events } = items.find(({ url }: { url: string }) => url.endsWith('/chosen'));
    assert.deepEqual(events, ['role.created', 'webhook.*']);
  });

  test('keep the rest of a group when one of its types is left out', async () => {
    const made = await app.operator.call('/console/v1/webhooks/endpoints', {
      body: { url: `${receiver.origin}/less`, events: ['role.*'] },
    });
    await app.open(`/webhooks/${made.body.id}`);
    await page.locator('summary', { hasText: 'role.*' }).click();
    await checkbox('role.created').uncheck();
    await button('Save').click();
    await said(page, 'Endpoint saved');
    const { events } = await read(`/webhooks/endpoints/${made.body.id}`);
    assert.ok(events.includes('role.deleted') && !events.includes('role.created') && !events.includes('role.*'));
  });
});
