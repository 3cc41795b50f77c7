import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApplication } from '#applications';
import { createProvider } from '#identity-providers';
import {
  eventsOf,
  eventually,
  newEmail,
  ownerToken,
  PASSWORD,
  PKCE,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { browserOf } from '#tests/oidc.ts';

const REDIRECT = 'http://localhost:5173/callback';
const DIRECTORY = '72f988bf-86f1-41af-91ab-2d7cd011db47';

let latchkey: TestLatchkey;
/** Another installation that serves as an identity provider. */
let partner: TestLatchkey;
let token: string;
before(async () => {
  [latchkey, partner] = await Promise.all([
    startTestLatchkey(),
    startTestLatchkey({ own: 'the identity provider is another installation' }),
  ]);
  token = await ownerToken(latchkey);
  const redirectUris = [`${latchkey.system.config.addresses.test.auth}/v1/auth/login/social/partner/callback`];
  const own = await partner.inProject((tx) => createApplication(tx, { kind: 'web', name: 'Shop', redirectUris }));
  await latchkey.inProject(async (tx) => {
    const { clientId, secret } = own;
    // The address is written with a slash, the issuer of its tokens without.
    const options = { issuer: `${partner.system.config.addresses.test.auth}/` };
    await createProvider(tx, { key: 'partner', preset: 'oidc', clientId, clientSecret: secret ?? '', options });
    await createProvider(tx, { key: 'microsoft', preset: 'microsoft', clientId: 'shop' });
    await createProvider(tx, { key: 'entra', preset: 'microsoft', clientId: 'shop', options: { tenant: DIRECTORY } });
    await createProvider(tx, { key: 'github', preset: 'github', clientId: 'shop', enabled: false });
  });
});
after(() => Promise.all([latchkey.stop(), partner.stop()]));

type Row = { row: number; outcome: string; errors: { pointer: string; message: string }[] };

async function imported(rows: unknown[] | string, query = ''): Promise<Row[]> {
  const body = typeof rows === 'string' ? rows : rows.map((row) => JSON.stringify(row)).join('\n');
  const headers = { 'content-type': typeof rows === 'string' ? 'text/csv' : 'application/x-ndjson' };
  const started = await latchkey.api(`/v1/admin/members/import${query}`, { token, body, headers });
  assert.equal(started.status, 202, started.text);
  return eventually(async () => {
    const { body: report } = await latchkey.api(`/v1/admin/members/import/${started.body.id}?limit=100`, { token });
    assert.equal(report.status, 'completed');
    return report.report;
  });
}

const outcomes = (report: Row[]) => report.map(({ outcome }) => outcome);
const messages = (report: Row[]) =>
  report.map(({ errors }) => errors.map(({ pointer, message }) => `${pointer} ${message}`));

async function exported(email: string | undefined): Promise<Record<string, unknown>> {
  const { text } = await latchkey.api('/v1/admin/members/export', { token });
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return rows.find((row) => row.email === email);
}

/** Signs a person of the other installation in here, through it. */
async function signInAtPartner(email: string) {
  const { clientId } = latchkey.demo.environments.test;
  const asked = new URLSearchParams({ clientId, redirectUri: REDIRECT, codeChallenge: PKCE.codeChallenge });
  const browser = browserOf(latchkey, partner);
  const { auth } = latchkey.system.config.addresses.test;
  const there = await browser.open(`${auth}/v1/auth/login/social/partner/start?${asked}`);
  const back = await browser.submit(there, { identifier: email, password: PASSWORD });
  const code = new URL(back.url).searchParams.get('code');
  return latchkey.auth('/v1/auth/login/social/exchange', { body: { code, codeVerifier: PKCE.codeVerifier } });
}

const link = (subject: string, more: object = {}) => ({ provider: 'partner', subject, ...more });

describe('rows of an import with linked identities', () => {
  test('the person signs in at the provider at the first try, as the account that was imported', async () => {
    const there = await register(partner);
    const email = newEmail();
    const subject = there.session.userId;
    const row = { email, displayName: 'Grace', linkedIdentities: [link(subject, { email: there.email })] };
    assert.deepEqual(outcomes(await imported([row])), ['created']);
    const signedIn = await signInAtPartner(there.email);
    assert.equal(signedIn.status, 200, signedIn.text);
    const { body } = await latchkey.api('/v1/me/profile', { token: signedIn.body.access_token });
    assert.deepEqual([body.email, body.displayName], [email, 'Grace']);
    const types = await eventsOf(latchkey, signedIn.body.session.userId);
    assert.deepEqual(
      types.filter((type) => /^(?:user\.created|identity)/.test(type)),
      ['user.created', 'identity.linked'],
    );
  });

  test('a row needs no identifier, and the person who has the account is found again', async () => {
    const there = await register(partner);
    const row = { displayName: 'Only there', linkedIdentities: [link(there.session.userId)] };
    assert.deepEqual(outcomes(await imported([row, row], '?dryRun=true')), ['created', 'unchanged']);
    assert.deepEqual(outcomes(await imported([row, row])), ['created', 'unchanged']);
    assert.deepEqual(outcomes(await imported([row])), ['unchanged']);
    assert.equal((await signInAtPartner(there.email)).status, 200);
  });

  test('an account that is linked to somebody else rejects the row, also within the file and in a dry run', async () => {
    const [subject, email] = [crypto.randomUUID(), newEmail()];
    const rows = [
      { email, linkedIdentities: [link(subject)] },
      { email: newEmail(), linkedIdentities: [link(subject)] },
      { email, linkedIdentities: [link(subject)] },
    ];
    const expected = [[], ['/linkedIdentities/0 is linked to another account'], []];
    assert.deepEqual(messages(await imported(rows, '?dryRun=true')), expected);
    assert.deepEqual(messages(await imported(rows)), expected);
    assert.deepEqual(messages(await imported(rows.slice(1, 2))), expected.slice(1, 2));
  });

  test('an account that exists keeps the links that it has', async () => {
    const { email } = await register(latchkey);
    const subject = crypto.randomUUID();
    assert.deepEqual(outcomes(await imported([{ email, linkedIdentities: [link(subject)] }])), ['unchanged']);
    assert.equal((await exported(email))['linkedIdentities'], undefined);
    assert.deepEqual(outcomes(await imported([{ email: newEmail(), linkedIdentities: [link(subject)] }])), ['created']);
  });

  test('the issuer follows from the provider; another one, or none where there are several, rejects the row', async () => {
    const { auth } = latchkey.system.config.addresses.test;
    const shared = (subject: string, issuer?: string) => [
      { provider: 'microsoft', subject, ...(issuer && { issuer }) },
    ];
    const directory = `https://login.microsoftonline.com/${DIRECTORY}/v2.0`;
    const report = await imported(
      [
        [{ provider: 'nowhere', subject: 'a' }],
        [link('a', { issuer: auth })],
        shared('a'),
        shared('a', 'https://login.microsoftonline.com/common/v2.0'),
        [link('b'), link('b', { issuer: partner.system.config.addresses.test.auth })],
        Array.from({ length: 21 }, (_, at) => link(`many-${at}`)),
        shared('c', directory),
        [{ provider: 'entra', subject: 'd' }],
        [{ provider: 'github', subject: '583231' }],
      ].map((linkedIdentities) => ({ email: newEmail(), linkedIdentities })),
    );
    assert.deepEqual(messages(report), [
      ['/linkedIdentities/0/provider "nowhere" is not an identity provider of this project'],
      ['/linkedIdentities/0/issuer is not the issuer of "partner"'],
      ['/linkedIdentities/0/issuer is needed: "microsoft" has people of several directories'],
      ['/linkedIdentities/0/issuer is not the issuer of "microsoft"'],
      ['/linkedIdentities/1 is named twice'],
      ['/linkedIdentities must not have more than 20 items'],
      [],
      [],
      [],
    ]);
  });

  test('an export writes rows that import the same links; CSV has them as JSON', async () => {
    const [email, subject] = [newEmail(), crypto.randomUUID()];
    const links = [
      { provider: 'entra', subject },
      { provider: 'github', subject, email: 'grace@navy.example' },
    ];
    const cell = JSON.stringify(links).replaceAll('"', '""');
    assert.deepEqual(outcomes(await imported(`email,linkedIdentities\n${email},"${cell}"`)), ['created']);
    const row = await exported(email);
    assert.deepEqual(row['linkedIdentities'], [
      { provider: 'entra', issuer: `https://login.microsoftonline.com/${DIRECTORY}/v2.0`, subject },
      { provider: 'github', issuer: 'https://github.com/login/oauth', subject, email: 'grace@navy.example' },
    ]);
    assert.deepEqual(messages(await imported([row])), [[]]);
  });

  test('of two imports at once with one account, each person is imported once and one has it', async () => {
    const subjects = Array.from({ length: 20 }, () => crypto.randomUUID());
    const rows = () => subjects.map((subject) => ({ email: newEmail(), linkedIdentities: [link(subject)] }));
    const reports = await Promise.all([imported(rows()), imported(rows())]);
    const created = reports.flatMap(outcomes).filter((outcome) => outcome === 'created');
    assert.equal(created.length, subjects.length);
  });
});
