import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openBrowser } from '#tests/browser.ts';
import { openConsole, said } from '#tests/console-app.ts';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

test('a type gets relations, a relation is found by its resource, and a check explains itself', async () => {
  const { email } = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  const { page, operator, open, complaints } = await openConsole(latchkey, browser);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await operator.call('/console/v1/permissions', { body: { key: 'plans:read', description: 'Read plans' } });
  const folder = { key: 'drawer', name: 'Drawer', relations: [{ key: 'owner', permissions: [] }] };
  await operator.call('/console/v1/authorization/types', { body: folder });
  const plan = { key: 'plan', name: 'Plan', parents: [{ type: 'drawer', inherits: {} }] };
  await operator.call('/console/v1/authorization/types', { body: plan });

  await open('/authorization/types/plan');
  // Two rows without a key, and a parent that offers the keys.
  await button('Add relation').click();
  await button('Add relation').click();
  const keys = page.getByRole('textbox', { name: 'Relation' });
  await keys.nth(1).waitFor();
  await keys.first().fill('reader');
  await button('Remove the relation 2').click();
  await page.getByRole('combobox', { name: 'Permissions' }).click();
  await page.getByRole('option', { name: 'plans:read' }).click();
  await page.getByRole('combobox', { name: '“owner” of the drawer is here' }).click();
  await page.getByRole('option', { name: 'reader' }).click();
  await button('Save').click();
  await said(page, 'Type saved');

  const { body: members } = await operator.call(`/console/v1/members?q=${encodeURIComponent(email)}`);
  const subject = `user:${members.items[0].userId}`;
  const write = [
    { resource: 'drawer:1', relation: 'owner', subject },
    { resource: 'plan:7', relation: 'parent', subject: 'drawer:1' },
  ];
  await operator.call('/console/v1/authorization/relations', { body: { write } });
  await open('/authorization/relations');
  const filter = page.getByRole('searchbox', { name: /^Resource/ });
  await filter.fill('plan');
  await page.getByText('Enter a type and an id').waitFor();
  await filter.fill('plan:7');
  await page.getByRole('cell', { name: 'parent', exact: true }).waitFor();

  await open('/authorization');
  await page.getByRole('combobox', { name: 'Member' }).fill(email);
  await page.getByRole('option', { name: email }).click();
  await page.getByRole('combobox', { name: 'Permission' }).fill('plans:read');
  await page.getByRole('option', { name: 'plans:read' }).click();
  const resource = page.getByRole('textbox', { name: 'Resource' });
  await resource.fill('plan');
  await button('Check').click();
  await resource.and(page.locator('[aria-invalid=true]')).waitFor();
  assert.deepEqual(
    complaints().filter((text) => !text.includes('status of 400')),
    [],
  );
  await resource.fill('plan:7');
  await button('Check').click();
  await page.getByText(`${subject} is “owner” of drawer:1, the parent of plan:7.`).waitFor();
  await operator.call('/console/v1/authorization/relations', { body: { delete: write } });
  await button('Check').click();
  await page.getByText('Not allowed', { exact: true }).waitFor();
});
