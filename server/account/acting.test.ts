import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { linkIn, visitorOf } from '#tests/account.ts';
import { eventsOf, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { actAs, addSupportDesk, newSupporter } from '#tests/impersonation.ts';
import type { Application } from '#tests/token-exchange.ts';

let latchkey: TestLatchkey;
let desk: Application;
before(async () => {
  latchkey = await startTestLatchkey();
  desk = await addSupportDesk(latchkey);
});
after(() => latchkey.stop());

test('a user sees who acts as them, since when, until when and why, and ends it', async () => {
  const { browser, page, person } = await visitorOf(latchkey, '/security');
  assert.doesNotMatch(page.text, /Who acts as you/, 'nothing is shown while nobody does');
  const named = await newSupporter(latchkey, { displayName: 'Grace <Hopper>' });
  await actAs(latchkey, desk, { supporter: named, person, reason: 'The invoice & the order' });
  await actAs(latchkey, desk, { supporter: await newSupporter(latchkey), person });
  const security = await browser.open(page.url);
  assert.match(security.text, /<h2>Who acts as you<\/h2>/);
  assert.match(security.text, /Grace &lt;Hopper&gt;/);
  assert.match(security.text, /A member of the Shop team<\/span>/, 'who has no name');
  assert.match(security.text, /Since [^·]*\d [^·]* · until [^·]*\d [^·]* · Reason: The invoice &amp; the order/);
  const question = await browser.open(linkIn(security, /href="([^"]*\/remove\/acting)"/));
  assert.match(question.text, /Nobody acts as you afterwards/);
  const done = await browser.submit(question, {}, '/remove/acting');
  assert.equal(done.url, page.url);
  assert.doesNotMatch(done.text, /Who acts as you/);
  const ended = (await eventsOf(latchkey, person.session.userId)).filter((type) => /impersonation.ended/.test(type));
  assert.equal(ended.length, 2);
});

test('a user in whose name nobody acts sees that there is nothing to end', async () => {
  const { browser, page } = await visitorOf(latchkey, '/security');
  const question = await browser.open(`${page.url.replace('/security', '')}/remove/acting`);
  assert.equal(question.url, page.url);
  assert.match(question.text, /role="alert"/);
});

test('another user neither sees nor ends it', async () => {
  const { person } = await visitorOf(latchkey, '/security');
  const supporter = await newSupporter(latchkey);
  await actAs(latchkey, desk, { supporter, person });
  const { page } = await visitorOf(latchkey, '/security', supporter);
  assert.match(page.text, /Sign-in and security/);
  assert.doesNotMatch(page.text, /Who acts as you/);
});
