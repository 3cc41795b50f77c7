import assert from 'node:assert/strict';
import { addTeamMember, createOperator, type TeamRole, workspaceScope } from '#operators';
import { hashPassword } from '#passwords';
import type { TestDns } from './domains.ts';
import { changeSettings, managementToken, PASSWORD, register, type TestClock, type TestLatchkey } from './harness.ts';
import { type Operator, signInOperator } from './operators.ts';

const DAY_MS = 86_400_000;
/** The number of days that the screenshots show. */
export const DAYS = 30;

const GIVEN = 'Ada Alan Barbara Chen Dennis Emeka Frances Grace Hedy Ines Jean Kofi Leslie Margaret Nadia Priya'.split(
  ' ',
);
const FAMILY = 'Okafor Berg Wei Costa Mensah Zhao Keller Haddad Ivanova Nair Patel Kowalska Moreau'.split(' ');
const WEEKEND = [0, 6];
const SUBSCRIBED_ON = 12;

/** A fixed sequence, so that screenshots differ only if the console changed. */
function* figures(): Generator<number, never> {
  for (let state = 42; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    yield state / 4_294_967_296;
  }
}

type Person = { email: string; given: string; family: string };

/**
 * Simulates a month in the demo's shop: people come and return, a team configures it, messages are sent, outages
 * happen.
 * @param clock starts {@link DAYS} days ago and ends at the present
 * @returns the operator of the screenshots
 */
export async function liveAMonth(latchkey: TestLatchkey, clock: TestClock, dns: TestDns): Promise<Operator> {
  const backEnd = async (path: string, body: unknown, method = 'POST') => {
    const response = await latchkey.api(`/v1/admin/${path}`, { method, body, token: await managementToken(latchkey) });
    assert.ok(response.status < 300, `${path}: ${response.text}`);
    return response.body;
  };
  await configure(backEnd, latchkey);
  const next = figures();
  const people: Person[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one day after the other
    await liveADay(latchkey, people, { next, weekend: WEEKEND.includes(clock.now().getUTCDay()), day });
    if (day < DAYS - 1) clock.advance(DAY_MS);
  }
  await administer(backEnd, people);
  await buildTeam(latchkey);
  const operator = await signInOperator(latchkey);
  await operate(operator, latchkey, clock, dns);
  return operator;
}

type BackEnd = (path: string, body: unknown, method?: string) => Promise<{ id: string; items: { id: string }[] }>;

async function configure(backEnd: BackEnd, latchkey: TestLatchkey): Promise<void> {
  await backEnd('permissions', { key: 'orders:refund', description: 'Give money back' });
  await backEnd('permissions', { key: 'orders:ship', description: 'Send what was ordered' });
  await backEnd('roles', { key: 'buyer', name: 'Buyer', permissions: [] });
  await backEnd('roles', {
    key: 'clerk',
    name: 'Clerk',
    description: 'Serves customers.',
    permissions: ['members:read', 'invitations:read', 'orders:refund', 'orders:ship'],
  });
  const { console: origin } = latchkey.system.config.addresses;
  await backEnd('webhooks/endpoints', {
    url: `${origin}/dev/hooks/204`,
    description: 'Warehouse',
    events: ['user.*', 'membership.*'],
  });
  await backEnd('webhooks/endpoints', {
    url: `${origin}/dev/hooks/503`,
    description: 'Newsletter',
    events: ['membership.created'],
  });
  await backEnd('applications', {
    kind: 'web',
    name: 'Storefront',
    redirectUris: ['https://shop.example/callback'],
    postLogoutRedirectUris: ['https://shop.example/'],
  });
  await backEnd('applications', { kind: 'native', name: 'Shop for iOS', redirectUris: ['example.shop:/callback'] });
  await changeSettings(latchkey, {
    branding: {
      logoUrl: null,
      accentColor: '#0f766e',
      backgroundColor: '#f4f7f6',
      radius: 10,
      text: 'One account for the shop and its help desk.',
      links: {},
    },
  });
}

type Day = { next: Generator<number, never>; weekend: boolean; day: number };

async function liveADay(latchkey: TestLatchkey, people: Person[], { next, weekend, day }: Day): Promise<void> {
  const chance = () => next.next().value;
  const newcomers = Math.round((weekend ? 1 : 3) + chance() * 3 + day / 15);
  for (let index = 0; index < newcomers; index += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one person after the other
    people.push(await join(latchkey, people.length));
  }
  const visits = Math.round((weekend ? 4 : 8) + chance() * 6 + day / 3);
  for (let index = 0; index < visits; index += 1) {
    const person = people[Math.floor(chance() * people.length)];
    assert.ok(person);
    const password = chance() < 0.12 ? 'not my password' : PASSWORD;
    // biome-ignore lint/performance/noAwaitInLoops: one person after the other
    await signIn(latchkey, person.email, password);
  }
  if (day === SUBSCRIBED_ON) await subscribe(latchkey);
}

/** Subscribes in production, where usage is metered. */
async function subscribe(latchkey: TestLatchkey): Promise<void> {
  const token = await managementToken(latchkey, undefined, 'production');
  const call = { token, body: { tierId: 'growth' } };
  const response = await latchkey.api('/v1/admin/billing/addons/sms/subscribe', call, 'production');
  assert.equal(response.status, 200, response.text);
}

async function join(latchkey: TestLatchkey, number: number): Promise<Person> {
  const given = GIVEN[(number * 7) % GIVEN.length] ?? '';
  const family = FAMILY[(number * 5 + Math.floor(number / GIVEN.length)) % FAMILY.length] ?? '';
  const email = `${given}.${family}${number < 60 ? '' : number}@example.com`.toLowerCase();
  await register(latchkey, { email, profile: { displayName: `${given} ${family}` } });
  return { email, given, family };
}

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

function signIn(latchkey: TestLatchkey, identifier: string, password = PASSWORD) {
  // From many source addresses, because limits would refuse a single one.
  const from = [...identifier].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_000, 7);
  return latchkey.auth('/v1/auth/login/password', {
    body: { identifier, password },
    headers: { 'x-forwarded-for': `203.0.${Math.floor(from / 256)}.${from % 256}`, 'user-agent': FIREFOX },
  });
}

async function administer(backEnd: BackEnd, people: readonly Person[]): Promise<void> {
  for (const [index, { email }] of people.slice(-24).entries()) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
    const [found] = (await backEnd(`members?q=${encodeURIComponent(email)}`, undefined, 'GET')).items;
    assert.ok(found);
    await backEnd(`members/${found.id}/roles`, { roles: [index % 5 === 0 ? 'clerk' : 'buyer'] }, 'PUT');
    if (index % 9 === 4) await backEnd(`members/${found.id}/block`, undefined);
  }
  for (const name of ['nina', 'omar', 'pia']) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
    await backEnd('invitations', { email: `${name}@partner.example`, roles: ['clerk'] });
  }
}

const TEAM: readonly (readonly [name: string, role: TeamRole])[] = [
  ['Rosa Lindqvist', 'admin'],
  ['Tomasz Zielinski', 'developer'],
  ['Yuki Tanaka', 'support'],
  ['Amina Diallo', 'billing'],
];

async function buildTeam(latchkey: TestLatchkey): Promise<void> {
  const passwordHash = await hashPassword(latchkey, PASSWORD);
  for (const [displayName, role] of TEAM) {
    const email = `${displayName.split(' ')[0]?.toLowerCase()}@shop.example`;
    // biome-ignore lint/performance/noAwaitInLoops: one person after the other
    await latchkey.inProject(async (tx) => {
      const userId = await createOperator(tx, { email, displayName, passwordHash });
      await addTeamMember({ ...tx, scope: workspaceScope(latchkey.demo.workspaceId) }, userId, role);
    });
  }
}

/** The work of operators in the console: domains, the add-on, the status, an import. */
async function operate(operator: Operator, latchkey: TestLatchkey, clock: TestClock, dns: TestDns): Promise<void> {
  const projectId = latchkey.demo.projects[0]?.id;
  const send = async (
    path: string,
    body: unknown,
    call: { method?: string; headers?: Record<string, string> } = {},
  ) => {
    const response = await operator.call(`/console/v1/${path}`, { method: 'POST', body, ...call });
    assert.ok(response.status < 300, `${path}: ${response.text}`);
    return response.body;
  };
  const proven = await send('domains', { host: 'login.shop.example' });
  dns.zone.set(proven.verification.name, [[proven.verification.value]]);
  await send(`domains/${proven.id}/verify`, undefined);
  await send(`domains/${proven.id}/bindings`, { purpose: 'auth', projectId, environment: 'test' });
  await send('domains', { host: 'konto.shop.example' });
  await send('team/invitations', { email: 'linus@shop.example', role: 'analyst' });
  const rows = ['maria.sol', 'peter.holm', 'jun.park'].map((name) => JSON.stringify({ email: `${name}@example.com` }));
  await send('members/import', [...rows, JSON.stringify({ email: 'no address' })].join('\n'), {
    headers: { 'content-type': 'application/x-ndjson' },
  });
  for (const name of ['Harbour Books', 'Lindqvist & Söhne', 'Nordlicht Reisen', 'Tanaka Ceramics']) {
    // biome-ignore lint/performance/noAwaitInLoops: one after the other
    await send('organizations', { name });
  }
  await report(send, clock);
}

async function report(send: (path: string, body: unknown) => Promise<{ id: string }>, clock: TestClock): Promise<void> {
  const { id } = await send('status/incidents', {
    title: 'Mails arrive late',
    body: 'Codes and links take up to ten minutes. We are looking into it.',
    severity: 'minor',
    componentIds: ['email'],
  });
  await send(`status/incidents/${id}/updates`, { phase: 'identified', body: 'A queue at our mail provider is stuck.' });
  const begin = clock.now().getTime() + 3 * DAY_MS;
  await send('status/maintenances', {
    title: 'Database upgrade',
    body: 'Signing in may take a second longer.',
    componentIds: ['database'],
    beginsAt: new Date(begin).toISOString(),
    endsAt: new Date(begin + DAY_MS / 24).toISOString(),
  });
}
