import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newServiceKey, type ServiceKey } from '#saml';
import { admin } from '#tests/apis.ts';
import { eventsOf, prove, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { type Browser, browserOf } from '#tests/oidc.ts';
import {
  askingAddress,
  askingForm,
  confirmingAddress,
  type Known,
  leadingTo,
  logoutXml,
  messageIn,
  newParticipant,
  type Page,
  type ParticipatingProvider,
  SLO,
  signInAt,
} from '#tests/saml-logouts.ts';
import { redirectQuery } from '#tests/saml-messages.ts';
import { authnRequestXml, sentForm } from '#tests/saml-service-provider.ts';

let latchkey: TestLatchkey;
let stranger: ServiceKey;
before(async () => {
  [latchkey, stranger] = await Promise.all([startTestLatchkey(), newServiceKey('stranger', new Date())]);
});
after(() => latchkey.stop());

async function newPerson() {
  const made = await prove(latchkey, await register(latchkey));
  return { ...made, userId: String(made['session'].userId) };
}

/** Whether the browser is signed in here still. */
async function isSignedIn(browser: Browser, at: ParticipatingProvider): Promise<boolean> {
  const xml = authnRequestXml(at, { with: { IsPassive: 'true' } });
  return sentForm(await browser.open(`${at.own.signOnUrl}?${redirectQuery(xml)}`)).status === 'Success';
}

const named = ({ nameId, sessionIndex }: Known) => ({ nameId, indexes: [sessionIndex] });

describe('a logout that a service provider asks for', () => {
  test('ends the session that it names, and is answered with RelayState', async () => {
    const [at, person] = [await newParticipant(latchkey), await newPerson()];
    const first = await signInAt(latchkey, at, person);
    const second = await signInAt(latchkey, at, person);
    const page = await first.browser.open(await askingAddress(at, { ...named(first), id: '_asked' }));
    const response = messageIn(page.url);
    assert.deepEqual(
      [response.to, response.kind, response.relayState, response.inResponseTo, response.status, response.signed],
      [SLO, 'SAMLResponse', 'theirs', '_asked', 'Success', true],
    );
    assert.equal(response.issuer, at.own.entityId);
    assert.equal(await isSignedIn(first.browser, at), false);
    assert.equal(await isSignedIn(second.browser, at), true);
    assert.ok((await eventsOf(latchkey, person.userId)).includes('user.logout'));
    // Once more, about a session that is gone.
    const again = await first.browser.open(await askingAddress(at, named(first)));
    assert.equal(messageIn(again.url).status, 'Success');
  });

  test('without a session ends all of the person at that application', async () => {
    const [at, other] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const person = await newPerson();
    const here = await signInAt(latchkey, at, person);
    const [second, elsewhere] = [await signInAt(latchkey, at, person), await signInAt(latchkey, other, person)];
    await here.browser.open(await askingAddress(at, { nameId: here.nameId }));
    assert.deepEqual(await Promise.all([here, second, elsewhere].map(({ browser }) => isSignedIn(browser, at))), [
      false,
      false,
      true,
    ]);
  });

  test('works by a form, and responds at the address for responses', async () => {
    const logout = { url: SLO, responseUrl: 'https://sp.example.com/slo/done', binding: 'post' };
    const at = await newParticipant(latchkey, { logout });
    const known = await signInAt(latchkey, at, await newPerson());
    const sent = await fetch(at.own.logoutUrl, { method: 'POST', body: askingForm(at, named(known)) });
    const page = { url: at.own.logoutUrl, status: sent.status, text: await sent.text() };
    const response = leadingTo(page);
    assert.deepEqual([response.to, response.relayState, response.status], [logout.responseUrl, null, 'Success']);
    assert.match(response.xml, /SignatureValue/);
    assert.equal(await isSignedIn(known.browser, at), false);
  });

  test('needs no logout address at the service provider', async () => {
    const at = await newParticipant(latchkey, { logout: null });
    const known = await signInAt(latchkey, at, await newPerson());
    const page = await known.browser.open(await askingAddress(at, named(known)));
    assert.match(page.text, /You are signed out\./);
    assert.equal(await isSignedIn(known.browser, at), false);
  });

  test('is refused unless this service provider signed it for this address, now', async () => {
    const [at, other] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const known = await signInAt(latchkey, at, await newPerson());
    const asked = await askingAddress(at, named(known));
    const late = new Date(Date.now() - 600_000);
    const xml = logoutXml(at, named(known));
    const form = new URLSearchParams({ SAMLRequest: Buffer.from(xml).toString('base64') });
    const refused = await Promise.all([
      known.browser.open(`${at.own.logoutUrl}?${redirectQuery(xml)}`),
      known.browser.open(asked.replace(/&SigAlg=.*$/, '')),
      known.browser.open(asked.replace('RelayState=theirs', 'RelayState=ours')),
      known.browser.open(await askingAddress(at, named(known), { key: stranger })),
      known.browser.open(await askingAddress(at, { ...named(known), issuer: other.entityId })),
      known.browser.open(await askingAddress(at, { ...named(known), destination: other.own.logoutUrl })),
      known.browser.open(await askingAddress(at, { ...named(known), issuedAt: late })),
      known.browser.open(await askingAddress(at, named(known), { relayState: 'x'.repeat(10_000) })),
      fetch(at.own.logoutUrl, { method: 'POST', body: form }),
    ]);
    assert.deepEqual(
      refused.map(({ status }) => status),
      refused.map(() => 400),
    );
    assert.equal(await isSignedIn(known.browser, at), true);
  });

  test('cannot name a session of another application, and needs certificates', async () => {
    const [at, other, bare] = [
      await newParticipant(latchkey),
      await newParticipant(latchkey),
      await newParticipant(latchkey, { signingCertificates: [] }),
    ];
    const known = await signInAt(latchkey, at, await newPerson());
    await known.browser.open(await askingAddress(other, named(known)));
    await known.browser.open(await askingAddress(other, { nameId: known.nameId }));
    await known.browser.open(await askingAddress(at, { nameId: 'somebody', indexes: [known.sessionIndex] }));
    await known.browser.open(await askingAddress(at, { nameId: known.nameId, indexes: ['_another'] }));
    const unknown = await known.browser.open(await askingAddress(bare, named(known)));
    assert.match(unknown.text, /no certificates/);
    assert.equal(await isSignedIn(known.browser, at), true);
  });

  test('works once, also when it arrives several times at once', async () => {
    const [at, person] = [await newParticipant(latchkey), await newPerson()];
    const known = await signInAt(latchkey, at, person);
    const address = await askingAddress(at, { nameId: known.nameId, id: '_once' });
    const statuses = await Promise.all([1, 2, 3, 4].map(async () => (await browserOf(latchkey).open(address)).status));
    assert.deepEqual(statuses.sort(), [0, 400, 400, 400]);
    const later = await signInAt(latchkey, at, person);
    assert.equal((await later.browser.open(address)).status, 400);
    assert.equal(await isSignedIn(later.browser, at), true);
  });
});

describe('the other applications of the session', () => {
  /** A session at several applications. */
  async function shared(...providers: ParticipatingProvider[]) {
    const browser = browserOf(latchkey);
    const person = await newPerson();
    const known: Known[] = [];
    for (const at of providers) {
      // biome-ignore lint/performance/noAwaitInLoops: one browser
      known.push(await signInAt(latchkey, at, person, browser));
    }
    return { browser, person, known };
  }

  /** Confirms as the applications that a round leads to, up to a page that leads to none. */
  async function goThrough(browser: Browser, page: Page, providers: ParticipatingProvider[]) {
    let now = page;
    const visited: string[] = [];
    while (now.text.includes('SAMLRequest')) {
      const request = leadingTo(now);
      const at = providers.find(({ own }) => own.entityId === request.issuer);
      assert.ok(at, request.xml);
      visited.push(at.id);
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      now = await browser.open(await confirmingAddress(at, request));
    }
    return { visited, page: now };
  }

  const signOut = async (browser: Browser) => {
    const question = await browser.open(`${latchkey.system.config.addresses.test.auth}/connect/logout`);
    return browser.submit(question, { logout: 'yes' });
  };

  test('are logged out one after the other before the response', async () => {
    const [at, second, third] = [
      await newParticipant(latchkey),
      await newParticipant(latchkey),
      await newParticipant(latchkey, { logout: { url: SLO, binding: 'post' } }),
    ];
    const { browser, known } = await shared(at, second, third);
    const [first, ...others] = known;
    assert.ok(first);
    const page = await browser.open(await askingAddress(at, { ...named(first), id: '_all' }));
    const request = leadingTo(page);
    const asked = others.find(({ nameId }) => nameId === request.nameId);
    assert.deepEqual([request.to, request.sessionIndex], [SLO, asked?.sessionIndex]);
    assert.match(page.text, /You are signed out here/);
    const { visited, page: end } = await goThrough(browser, page, [second, third]);
    assert.deepEqual(visited.sort(), [second.id, third.id].sort());
    const response = messageIn(end.url);
    assert.deepEqual([response.status, response.inResponseTo, response.relayState], ['Success', '_all', 'theirs']);
  });

  test('make the logout partial if one cannot be asked, refuses, or does not respond', async () => {
    const [at, without, refusing, silent] = [
      await newParticipant(latchkey),
      await newParticipant(latchkey, { logout: null }),
      await newParticipant(latchkey),
      await newParticipant(latchkey),
    ];
    for (const other of [without, refusing, silent]) {
      // biome-ignore lint/performance/noAwaitInLoops: each is a session
      const { browser, known } = await shared(at, other);
      const [first] = known;
      assert.ok(first);
      let page = await browser.open(await askingAddress(at, named(first)));
      if (other === refusing)
        page = await browser.open(await confirmingAddress(other, leadingTo(page), { result: 'refused' }));
      // The browser comes back without a response.
      if (other === silent) page = await browser.open(page.url);
      assert.equal(messageIn(page.url).status, 'Responder PartialLogout', other.id);
    }
  });

  test('are logged out after a logout at the hosted pages, and those that were missed are named', async () => {
    const [at, other] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const both = await shared(at, other);
    const page = await signOut(both.browser);
    assert.equal(await isSignedIn(browserOf(latchkey), at), false);
    const { visited, page: end } = await goThrough(both.browser, page, [at, other]);
    assert.equal(visited.length, 2);
    assert.match(end.url, /\/connect\/logout\/success/);
    const again = await shared(at);
    const missed = await again.browser.open((await signOut(again.browser)).url);
    assert.match(missed.text, /did not confirm that you are signed out: SP \d+/);
    assert.match(missed.text, /connect\/logout\/success/);
  });

  test('are logged out after a logout at the account page', async () => {
    const at = await newParticipant(latchkey);
    const { browser } = await shared(at);
    const account = await browser.open(`${latchkey.system.config.addresses.test.auth}/account`);
    const page = await browser.submit(account, {}, '/sign-out');
    const { visited, page: end } = await goThrough(browser, page, [at]);
    assert.deepEqual(visited, [at.id]);
    assert.match(end.url, /\/account\/signed-out/);
  });

  test('only go on with the response of the application that was asked, to that request', async () => {
    const [at, other] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const { browser } = await shared(at);
    const request = leadingTo(await signOut(browser));
    assert.equal((await browser.open(await confirmingAddress(other, request))).status, 400);
    assert.equal((await browser.open(await confirmingAddress(at, { ...request, relayState: 'lko_x' }))).status, 400);
    const forged = await browser.open(await confirmingAddress(at, request, { key: stranger }));
    assert.match(forged.text, /did not confirm/);
    const { auth } = latchkey.system.config.addresses.test;
    assert.equal((await browser.open(`${auth}/saml/logouts/${request.relayState}`)).status, 400);
    assert.equal((await browser.open(`${auth}/saml/logouts/nothing`)).status, 400);
  });

  test('are visited by one of several logouts at once', async () => {
    const [at, other] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const { known } = await shared(at, other);
    const pages = await Promise.all(
      [at, other].map(async (one, index) => {
        const who = known[index];
        assert.ok(who);
        return browserOf(latchkey).open(await askingAddress(one, named(who)));
      }),
    );
    // The first asks the other application; the second finds the session gone.
    assert.deepEqual(pages.map((page) => page.text.includes('SAMLRequest')).sort(), [false, true]);
  });

  test('are forgotten when an administrator ends the session, because SAML has no back channel here', async () => {
    const at = await newParticipant(latchkey);
    const { browser, person, known } = await shared(at);
    const members = await admin(latchkey, `members?q=${encodeURIComponent(person.email)}`);
    await admin(latchkey, `members/${members.items[0].id}/sessions/revoke`, { method: 'POST', body: {} });
    const { rows } = await latchkey.system.pool.query('select 1 from saml_participants where session_index = $1', [
      known[0]?.sessionIndex,
    ]);
    assert.equal(rows.length, 0);
    assert.equal(await isSignedIn(browser, at), false);
  });

  test('that did not send the browser back lately come last', async () => {
    const [silent, at] = [await newParticipant(latchkey), await newParticipant(latchkey)];
    const first = await shared(silent);
    leadingTo(await signOut(first.browser));
    await latchkey.system.pool.query(
      `update saml_rounds set waiting_since = now() - interval '1 minute'
      where waiting_for = $1`,
      [silent.clientId],
    );
    const both = await shared(silent, at);
    assert.equal(leadingTo(await signOut(both.browser)).issuer, at.own.entityId);
  });
});

test('the metadata name the single logout service in the order of the schema', async () => {
  const at = await newParticipant(latchkey);
  const text = await (await fetch(at.own.metadataUrl)).text();
  assert.equal(text.split(`Location="${at.own.logoutUrl}"`).length, 3, text);
  assert.ok(text.indexOf('SingleLogoutService') < text.indexOf('NameIDFormat'));
});
