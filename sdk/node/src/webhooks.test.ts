import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from './webhooks.ts';
import { verifyWebhook as verifyWebhookNow } from './webhooks-node.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes ....').toString('base64')}`;
const other = `whsec_${Buffer.from('another of thirty-two bytes .....').toString('base64')}`;
const body = JSON.stringify({ id: 'evt_1', type: 'user.created', data: { name: 'Ada – 愛' } });

/** A message as the official library signs it. */
function message(secrets = [secret], at = new Date(), text = body) {
  return {
    body: text,
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': secrets.map((one) => new Webhook(one).sign('evt_1', at, text)).join(' '),
    },
  };
}

const verifiers: [name: string, verify: (...args: Parameters<typeof verifyWebhook>) => Promise<unknown>][] = [
  ['Web Crypto', verifyWebhook],
  ['Node.js', async (...args) => verifyWebhookNow(...args)],
];

for (const [name, verify] of verifiers)
  describe(`WH-4 verifyWebhook with ${name}`, () => {
    const refused = (...args: Parameters<typeof verify>) =>
      verify(...args).then(
        () => 'accepted',
        (error: { code: string }) => error.code,
      );

    test('accepts messages signed by the official Standard Webhooks library, with any kind of headers', async () => {
      const { headers } = message();
      const capital = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), [value]]));
      const forms = [headers, new Headers(headers), capital];
      const events = await Promise.all(forms.map((form) => verify({ body, headers: form }, secret)));
      assert.deepEqual(
        events,
        forms.map(() => JSON.parse(body)),
      );
    });

    test('accepts either secret during a rotation, on both sides', async () => {
      assert.equal(await refused(message([other, secret]), secret), 'accepted');
      assert.equal(await refused(message([secret]), [other, secret]), 'accepted');
    });

    test('rejects another secret, a changed body, id or time, and other kinds of signatures', async () => {
      const good = message();
      const changed = (headers: Record<string, string>) => ({ body, headers: { ...good.headers, ...headers } });
      const later = String(Number(good.headers['webhook-timestamp']) + 1);
      const cases = [
        refused(good, other),
        refused({ ...good, body: `${body} ` }, secret),
        refused(changed({ 'webhook-id': 'evt_2' }), secret),
        refused(changed({ 'webhook-timestamp': later }), secret),
        refused(changed({ 'webhook-signature': good.headers['webhook-signature'].replace('v1,', 'v2,') }), secret),
        refused(changed({ 'webhook-signature': 'v1,' }), secret),
        refused(changed({ 'webhook-signature': 'v1,%%%' }), secret),
      ];
      assert.deepEqual(
        await Promise.all(cases),
        cases.map(() => 'no_matching_signature'),
      );
    });

    test('rejects a timestamp that is missing or more than five minutes off', async () => {
      const at = (milliseconds: number) => message([secret], new Date(Date.now() + milliseconds));
      assert.equal(await refused(at(-301_000), secret), 'time_out_of_tolerance');
      assert.equal(await refused(at(302_000), secret), 'time_out_of_tolerance');
      assert.equal(await refused(at(-290_000), secret), 'accepted');
      assert.equal(await refused(at(-301_000), secret, { toleranceSeconds: 600 }), 'accepted');
      const { headers } = message();
      assert.equal(
        await refused({ body, headers: { ...headers, 'webhook-timestamp': 'now' } }, secret),
        'time_out_of_tolerance',
      );
    });

    test('names a missing header and reports an invalid secret', async () => {
      const { 'webhook-signature': _, ...headers } = message().headers;
      assert.equal(await refused({ body, headers }, secret), 'missing_header');
      assert.equal(await refused(message(), 'whsec_%%%'), 'invalid_secret');
      assert.equal(await refused(message(), ''), 'invalid_secret');
    });
  });
