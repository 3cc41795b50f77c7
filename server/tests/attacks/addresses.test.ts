import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { oldAddresses } from '#identifiers';
import { sendMessage } from '#messages';
import { mailboxOf, parseEmail } from '#platform/email-address.ts';
import {
  eventually,
  expectProblem,
  managementToken,
  newEmail,
  PASSWORD,
  PKCE,
  register,
  startTestLatchkey,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { inTurn } from '#tests/in-turn.ts';
import { addEmployer, type Issuer, startIssuer } from '#tests/issuer.ts';
import { type MailServer, startMailServer } from '#tests/mail-server.ts';
import { signInOperator } from '#tests/operators.ts';
import { elsewhere } from '#tests/visitors.ts';

/** Texts that are not email addresses, and why they might pass for one. */
const NO_ADDRESSES: Record<string, string> = {
  'header syntax that normalising uncovers': 'a<evil@attacker.test>＠victim-corp.test',
  'two addresses that normalising uncovers': 'evil＠attacker.test,ceo@victim-corp.test',
  'a second receiver': '1,victim@example.com',
  'angle brackets': '<victim@example.com>',
  'a display name': 'n1<victim@example.com>',
  'a domain that goes on after a comma': 'x@evil.example,admin.victim.example',
  'a group': 'all:victim@example.com;',
  'a comment': '(x)victim@example.com',
  'a quoted local part': '"a b"@example.com',
  'a quoted @': '"x@evil.example"@victim.example',
  'a route': '@relay.example:victim@example.com',
  'an encoded word': '=?utf-8?q?victim=40example.com?=,x@example.com',
  'two dots in a row': 'a..b@example.com',
  'a dot at the end of the local part': 'a.@example.com',
  'an invisible space': 'vic\u200btim@example.com',
  'a soft hyphen in the host': 'victim@exam\u00adple.com',
  'a control character': 'victim\u0085@example.com',
  'a change of direction': 'victim\u202e@example.com',
  'letters that no mail server has to take': 'müller@example.com',
  'an address literal': 'victim@[127.0.0.1]',
  'a number for a host': 'victim@127.0.0.1',
  'a single label': 'victim@localhost',
  'an empty label': 'victim@example..com',
  'a root dot': 'victim@example.com.',
  'an underscore in the host': 'victim@exa_mple.com',
  'a hyphen at the edge of a label': 'victim@-example.com',
  'what is no internationalised label': 'victim@xn--a.com',
  'a slash in the host': 'victim@example.com/evil.example',
  'an ideographic dot': 'victim@example。com',
  'a local part of 65 characters': `${'a'.repeat(65)}@example.com`,
  'a host of 254 characters': `a@${'a.'.repeat(125)}com`,
};

let latchkey: TestLatchkey;
let smtp: MailServer;
let upstream: Issuer;
let token: string;
before(async () => {
  [smtp, upstream] = await Promise.all([startMailServer(), startIssuer()]);
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SMTP_URL: smtp.url } });
  token = await managementToken(latchkey);
  await addEmployer(latchkey, upstream);
});
after(async () => {
  await latchkey.stop();
  await Promise.all([smtp.stop(), upstream.stop()]);
});

/**
 * Every operation that accepts an unknown address.
 * @returns the call of each with an address
 */
async function surfaces(): Promise<Record<string, (email: string) => Promise<TestResponse>>> {
  const customer = (await register(latchkey)).access_token;
  const member = await latchkey.api('/v1/admin/members', { token, body: { email: newEmail() } });
  assert.equal(member.status, 201, member.text);
  const operator = await signInOperator(latchkey);
  const admin = (path: string, method: string, bodyOf: (email: string) => unknown) => (email: string) =>
    latchkey.api(path, { token, method, body: bodyOf(email), headers: elsewhere() });
  return {
    register: (email) =>
      latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD }, headers: elsewhere() }),
    'profile change': (email) => latchkey.api('/v1/me/profile/email', { token: customer, body: { email } }),
    'new member': admin('/v1/admin/members', 'POST', (email) => ({ email })),
    'changed member': admin(`/v1/admin/members/${member.body.id}`, 'PATCH', (email) => ({ email })),
    invitation: admin('/v1/admin/invitations', 'POST', (email) => ({ email })),
    'team invitation': (email) => operator.call('/console/v1/team/invitations', { body: { email, role: 'developer' } }),
    'status subscription': (email) =>
      latchkey.auth('/api/status/subscribe', { body: { channel: 'email', email }, headers: elsewhere() }),
    'status subscribers': admin('/v1/admin/status/subscribers/import', 'POST', (email) => ({
      consent: 'They agreed on paper.',
      subscribers: [{ email }],
    })),
    'status alerts': admin('/v1/admin/status/settings', 'PATCH', (email) => ({ alertEmails: [email] })),
  };
}

async function importRow(...rows: Record<string, unknown>[]): Promise<TestResponse['body']> {
  const response = await latchkey.api('/v1/admin/members/import', {
    token,
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(response.status, 202, response.text);
  return eventually(async () => {
    const { body } = await latchkey.api(`/v1/admin/members/import/${response.body.id}?limit=100`, { token });
    assert.equal(body.status, 'completed');
    return body;
  });
}

async function expectSignIn(identifier: string): Promise<void> {
  const response = await latchkey.auth('/v1/auth/login/password', { body: { identifier, password: PASSWORD } });
  assert.equal(response.status, 200, `${identifier}: ${response.text}`);
}

async function taken(email: string): Promise<void> {
  expectProblem(
    await latchkey.auth('/v1/auth/register', { body: { email, password: PASSWORD } }),
    409,
    'ALREADY_EXISTS',
  );
}

describe('an e-mail address means exactly one mailbox', () => {
  test('invalid addresses are refused wherever an address is accepted, and no mail is sent', async () => {
    const asked = Object.entries(await surfaces());
    const attempts = Object.entries(NO_ADDRESSES).flatMap((one) => asked.map((other) => [...one, ...other] as const));
    await inTurn(attempts, async ([why, email, where, ask]) => {
      const response = await ask(email);
      assert.equal(response.status, 400, `${where}, ${why}: ${response.text}`);
      assert.equal(response.body.errorCode, 'VALIDATION_FAILED', `${where}, ${why}`);
    });
    const queued = await latchkey.system.pool.query('select recipient from messages where recipient = any($1)', [
      Object.values(NO_ADDRESSES).flatMap((email) => [email, email.normalize('NFKC').toLowerCase()]),
    ]);
    assert.deepEqual(queued.rows, []);
    assert.deepEqual(
      smtp.mailboxes().filter((mailbox) => /victim|attacker|evil/.test(mailbox)),
      [],
    );
    // Each operation accepts a valid address.
    await inTurn(asked, async ([where, ask]) => {
      const response = await ask(newEmail());
      assert.ok(response.status < 300, `${where}: ${response.text}`);
    });
  });

  test('an import reports a row with an invalid address', async () => {
    const emails = Object.values(NO_ADDRESSES);
    const report = await importRow(...emails.map((email) => ({ email })));
    assert.deepEqual([report.failed, report.created], [emails.length, 0], JSON.stringify(report));
    for (const { errors } of report.report) assert.deepEqual(errors[0].pointer, '/email');
  });

  test('an address that a provider claims to have verified is accepted only if it is valid', async () => {
    await inTurn(['a<evil@attacker.test>＠victim-corp.test', '"x@evil.example"@victim.example'], async (email) => {
      upstream.claims = { sub: crypto.randomUUID(), email, email_verified: true };
      const signedIn = await signInUpstream();
      const { body } = await latchkey.api('/v1/me/context', { token: signedIn.access_token });
      assert.deepEqual([body.user.email, body.user.emailVerified], [null, false]);
    });
  });

  test('an invalid address without an account gets no code', async () => {
    await inTurn(Object.entries(NO_ADDRESSES), async ([why, email]) => {
      const response = await latchkey.auth('/v1/auth/login/email-code', { body: { email }, headers: elsewhere() });
      assert.ok([202, 400].includes(response.status), `${why}: ${response.text}`);
    });
    const { rows } = await latchkey.system.pool.query(
      `select recipient from messages where status <> 'suppressed' and recipient = any($1)`,
      [Object.values(NO_ADDRESSES).flatMap((email) => [email, email.normalize('NFKC').toLowerCase()])],
    );
    assert.deepEqual(rows, []);
  });

  test('different spellings of one address are one account and one mailbox', async () => {
    const name = crypto.randomUUID().slice(0, 8);
    const spellings = [
      `${name}@münchen.example`,
      `${name}@xn--mnchen-3ya.example`,
      `${name.toUpperCase()}@MÜNCHEN.example`,
    ];
    const [first, ...others] = spellings;
    const made = await latchkey.auth('/v1/auth/register', { body: { email: first, password: PASSWORD } });
    assert.equal(made.status, 200, made.text);
    await inTurn(others, taken);
    await inTurn(spellings, expectSignIn);
    assert.equal(new Set(spellings.map(parseEmail)).size, 1);
    assert.equal(parseEmail(`${name}@example.com`) === parseEmail(`${name}+tag@example.com`), false);
  });
});

/** Signs in with the provider and its current claims. */
async function signInUpstream(): Promise<TestResponse['body']> {
  const { clientId } = latchkey.demo.environments.test;
  const query = new URLSearchParams({
    clientId,
    redirectUri: 'http://localhost:5173/callback',
    codeChallenge: PKCE.codeChallenge,
  });
  const left = await latchkey.auth(`/v1/auth/login/social/employer/start?${query}`);
  assert.equal(left.status, 303, left.text);
  const cookie = left.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const approved = new URLSearchParams(upstream.approve(left.headers.get('location') ?? ''));
  const back = await latchkey.auth(`/v1/auth/login/social/employer/callback?${approved}`, {
    headers: { cookie: cookie.join('; ') },
  });
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code');
  const { status, text, body } = await latchkey.auth('/v1/auth/login/social/exchange', {
    body: { code, codeVerifier: PKCE.codeVerifier },
  });
  assert.equal(status, 200, text);
  return body;
}

describe('limits count the mailbox that would receive', () => {
  test('a mailbox gets at most ten mails in an hour, however its address is written', async () => {
    const name = crypto.randomUUID().slice(0, 8);
    const spellings = [`${name}@bücher.example`, `${name}@xn--bcher-kva.example`, `${name}@BÜCHER.EXAMPLE`];
    const made = await latchkey.auth('/v1/auth/register', { body: { email: spellings[0], password: PASSWORD } });
    assert.equal(made.status, 200, made.text);
    await inTurn(Array.from({ length: 15 }).keys(), (index) =>
      latchkey.auth('/v1/auth/password/forgot', { body: { identifier: spellings[index % 3] }, headers: elsewhere() }),
    );
    const { rows } = await latchkey.system.pool.query(
      `select count(*)::integer as mails from messages where recipient like $1 and status <> 'suppressed'`,
      [`${name}@%`],
    );
    assert.deepEqual(rows, [{ mails: 10 }]);
  });

  test('one mailbox has one key for counting', () => {
    const same = ['A@Example.com', 'a@example.com', 'a@EXAMPLE.COM.', 'ａ@example.com'];
    assert.deepEqual([...new Set(same.map(mailboxOf))], ['a@example.com']);
    assert.equal(mailboxOf('a+1@example.com'), 'a+1@example.com');
    assert.equal(mailboxOf('ada@münchen.de'), 'ada@xn--mnchen-3ya.de');
  });
});

describe('accounts of earlier versions', () => {
  /** Stores an address for an account in the form of an earlier version. */
  async function withStored(email: string): Promise<void> {
    const { session } = await register(latchkey);
    await latchkey.system.pool.query(`update identifiers set value = $1, verified_at = now() where user_id = $2`, [
      email,
      session.userId,
    ]);
  }
  const OLD = [
    'müller@example.com',
    'a..b@example.com',
    'ada@example.com.',
    'ada@münchen.example',
    'ada@intranet',
    'n<x>@a.b',
  ];

  test('an address that is no longer valid still signs in, as typed', async () => {
    await inTurn(OLD, async (email) => {
      await withStored(email);
      await inTurn([email, email.toUpperCase()], expectSignIn);
    });
  });

  test('no one else gets the mailbox of an address that is stored in another form', async () => {
    await withStored('grace@münchen.example');
    await inTurn(['grace@münchen.example', 'grace@xn--mnchen-3ya.example'], taken);
    const report = await importRow({ email: 'grace@xn--mnchen-3ya.example' });
    assert.deepEqual([report.created, report.failed], [0, 0], JSON.stringify(report));
  });

  test('a mail to a stored address goes to that mailbox or to none', async () => {
    const send = (to: string) =>
      latchkey.inProject((tx) =>
        sendMessage(tx, { template: 'sign_in_code', to, variables: { code: '12345678', minutes: 10 } }),
      );
    const bad = 'a<evil@attacker.test>@victim-corp.test';
    const two = 'evil@attacker.test,ceo@victim-corp.test';
    await send(bad);
    await send(two);
    await send('c.d@intranet');
    await eventually(async () => {
      const { rows } = await latchkey.system.pool.query(
        `select recipient, status from messages where recipient = any($1) and status <> 'suppressed' order by recipient`,
        [[bad, two, 'c.d@intranet']],
      );
      assert.deepEqual(rows, [
        { recipient: bad, status: 'failed' },
        { recipient: 'c.d@intranet', status: 'sent' },
        { recipient: two, status: 'failed' },
      ]);
    });
    const [mail] = smtp.mails.filter(({ rcptTo }) => rcptTo.some((address) => address.includes('c.d')));
    assert.equal(mail?.rcptTo.length, 1);
    assert.deepEqual(
      smtp.mailboxes().filter((mailbox) => /attacker|victim/.test(mailbox)),
      [],
    );
  });
});

describe('latchkey doctor', () => {
  test('lists the ids, and never the addresses, of accounts with an address that is no longer valid', async () => {
    const { email, session } = await register(latchkey);
    await latchkey.system.pool.query(`update identifiers set value = $1 where user_id = $2`, [
      `<${email}>`,
      session.userId,
    ]);
    const old = await oldAddresses(latchkey.system);
    assert.ok(old.some(({ userId }) => userId === session.userId));
    const today = await register(latchkey);
    assert.ok(!old.some(({ userId }) => userId === today.session.userId));
    assert.ok(!JSON.stringify(old).includes('@'));
  });
});

describe('header injection', () => {
  test('a subject is one line', async () => {
    const path = '/v1/admin/settings/messages/sign_in_code/en';
    const own = { subject: 'Code\r\nBcc: victim@example.com\u2028{code}', body: '{code}', action: '' };
    await latchkey.api(path, { method: 'PUT', token, body: own });
    const to = newEmail();
    await latchkey.inProject((tx) =>
      sendMessage(tx, { template: 'sign_in_code', to, locale: 'en', variables: { code: '12345678', minutes: 10 } }),
    );
    await eventually(async () => assert.ok(smtp.mailboxes().includes(to)));
    const [arrived] = smtp.mails.filter(({ rcptTo }) => rcptTo.includes(to));
    assert.ok(!/[\r\n\u2028]/.test(arrived?.mail.subject ?? '?\n'), arrived?.mail.subject);
    assert.deepEqual(arrived?.mail.bcc ?? [], []);
    await latchkey.api(path, { method: 'DELETE', token });
  });
});
