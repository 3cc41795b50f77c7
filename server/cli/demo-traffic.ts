import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Demo } from '#hosts';
import { loadConfig } from '#platform/config.ts';
import { StartError } from '#platform/start-error.ts';
import { failing } from './failing.ts';

type Json = Record<string, unknown>;
type JsonResponse = { status: number; body: Json };
type Call = { token?: unknown; body?: Json | URLSearchParams; method?: string; headers?: Record<string, string> };

const PASSWORD = 'correct horse battery staple';
/** How many visits run at once, and the pause between two steps of a visit. */
const AT_ONCE = 3;
const PAUSE_MS = 40;

const GIVEN =
  'Ada Alan Amara Anders Barbara Chen Claude Dennis Edsger Emeka Frances Grace Hedy Ines Jean Joan Karen Kofi Leslie Lin Margaret Mary Nadia Niklaus Olga Priya Radia Ravi Sofia Tim'.split(
    ' ',
  );
const FAMILY =
  'Lovelace Turing Okafor Berg Liskov Wei Shannon Ritchie Dijkstra Adeyemi Allen Hopper Lamarr Costa Bartik Clarke Jones Mensah Lamport Zhao Hamilton Keller Haddad Wirth Ivanova Nair Perlman Patel Kowalska Berners'.split(
    ' ',
  );

/**
 * Generates traffic in the running demo through the public interface: people who register, return, mistype passwords,
 * use the second product and leave; and a back end that assigns roles, invites, blocks, manages organizations and
 * receives webhooks. People of earlier runs return, so it can be repeated.
 */
export async function demoTraffic(overrides: Record<string, string | undefined>): Promise<void> {
  await failing(overrides, async () => {
    const demo = await readDemo(join(loadConfig(undefined, overrides).dataDir, 'demo.json'));
    const people = GIVEN.map((given, index) => personOf(given, FAMILY[index] ?? ''));
    const backEnd = await backEndOf(demo);
    await configure(backEnd, demo);
    let done = 0;
    const walk = async (queue: Iterator<Person>) => {
      for (let next = queue.next(); !next.done; next = queue.next()) {
        // biome-ignore lint/performance/noAwaitInLoops: one visit after the other, in a few parallel loops
        await visit(demo, next.value);
        done += 1;
        process.stdout.write(`\r${done} of ${people.length} people were here`);
      }
    };
    const queue = people.values();
    await Promise.all(Array.from({ length: AT_ONCE }, () => walk(queue)));
    await administer(backEnd, people);
    await organize(backEnd, people);
    process.stdout.write(
      `\nLook at it: ${demo.consoleUrl}/console/ as ${demo.operator.email}, password ${demo.operator.password}\n`,
    );
  });
}

async function readDemo(path: string): Promise<Demo> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new StartError(`Found no demo at ${path}. Start Latchkey first, in another terminal: npx latchkey serve`, {
      cause: error,
    });
  }
}

type Person = { email: string; displayName: string; locale: string };

function personOf(given: string, family: string): Person {
  const email = `${given}.${family}@example.com`.toLowerCase();
  return { email, displayName: `${given} ${family}`, locale: chance(0.7) ? 'en' : 'de' };
}

function chance(probability: number): boolean {
  return Math.random() < probability;
}

/** One visit: registers a new person, signs in, and acts. */
async function visit(demo: Demo, { email, displayName, locale }: Person): Promise<void> {
  const { authUrl, apiUrl, clientId } = demo.environments.test;
  const auth = (path: string, body: Json) => call(`${authUrl}/v1/auth/${path}`, { body: { clientId, ...body } });
  await auth('register', { email, password: PASSWORD, profile: { displayName, locale } });
  if (chance(0.3)) await auth('login/password', { identifier: email, password: 'not my password' });
  if (chance(0.1)) await auth('password/forgot', { identifier: email });
  const { body } = await auth('login/password', { identifier: email, password: PASSWORD });
  const token = body['access_token'];
  if (token === undefined) return;
  await call(`${apiUrl}/v1/me/context`, { token });
  if (chance(0.3))
    await call(`${apiUrl}/v1/me/profile`, { token, method: 'PATCH', body: { zoneinfo: 'Europe/Berlin' } });
  if (chance(0.5)) await useSecondProduct(demo, email);
  if (chance(0.4)) await call(`${authUrl}/v1/sessions/logout`, { token, body: {} });
}

async function useSecondProduct(demo: Demo, email: string): Promise<void> {
  const { authUrl, apiUrl } = demo.environments.test;
  const { workspaceId, projects } = demo;
  const { body } = await call(`${authUrl}/v1/auth/login/password`, {
    body: { workspaceId, projectId: projects[1]?.id, identifier: email, password: PASSWORD },
  });
  await call(`${apiUrl}/v1/me/authorization`, { token: body['access_token'] });
}

type BackEnd = (path: string, call?: Call) => Promise<JsonResponse>;

/** The demo's back end with a management token of its own. */
async function backEndOf(demo: Demo): Promise<BackEnd> {
  const { authUrl, apiUrl, managementClientId, managementClientSecret } = demo.environments.test;
  const credentials = [managementClientId, managementClientSecret].map(encodeURIComponent).join(':');
  const { body } = await call(`${authUrl}/connect/token`, {
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      workspaceId: demo.workspaceId,
      projectId: demo.projects[0]?.id ?? '',
      environment: 'test',
    }),
  });
  const token = body['access_token'];
  if (token === undefined) throw new StartError('The demo refused its own back end. Is it the one that runs now?');
  return (path, rest) => call(`${apiUrl}/v1/admin/${path}`, { token, ...rest });
}

/** Creates roles, a working receiver and one that is down, unless an earlier run did. */
async function configure(backEnd: BackEnd, demo: Demo): Promise<void> {
  await backEnd('roles', { body: { key: 'buyer', name: 'Buyer', permissions: [] } });
  await backEnd('roles', { body: { key: 'clerk', name: 'Clerk', permissions: ['members:read', 'invitations:read'] } });
  const { body } = await backEnd('webhooks/endpoints');
  if (itemsOf(body).length > 0) return;
  const receivers = [
    { url: `${demo.consoleUrl}/dev/hooks/204`, description: 'Warehouse', events: ['user.*', 'membership.*'] },
    { url: `${demo.consoleUrl}/dev/hooks/503`, description: 'Newsletter, which is down', events: ['user.created'] },
  ];
  await Promise.all(receivers.map((receiver) => backEnd('webhooks/endpoints', { body: receiver })));
}

async function administer(backEnd: BackEnd, people: readonly Person[]): Promise<void> {
  for (const { email } of people) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
    const { body } = await backEnd(`members?q=${encodeURIComponent(email)}`);
    const id = Object(itemsOf(body)[0])['id'];
    if (typeof id === 'string' && chance(0.4))
      await backEnd(`members/${id}/roles`, { method: 'PUT', body: { roles: [chance(0.8) ? 'buyer' : 'clerk'] } });
    if (typeof id === 'string' && chance(0.05)) await backEnd(`members/${id}/block`, { method: 'POST' });
  }
  for (const name of ['nina', 'omar', 'pia']) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
    await backEnd('invitations', { body: { email: `${name}@partner.example`, roles: ['clerk'] } });
  }
}

/** Fills the two organizations of the first start, or makes them, with owners, members and open invitations. */
async function organize(backEnd: BackEnd, people: readonly Person[]): Promise<void> {
  await backEnd('permissions', { body: { key: 'invoices:read', description: 'See the invoices of the organization' } });
  const role = { key: 'billing', name: 'Billing', permissions: ['invoices:read'], delegable: true };
  await backEnd('organization-roles', { body: role });
  const organizations = [
    { name: 'Acme Industries', slug: 'acme', people: people.slice(0, 6), roles: [['owner'], ['admin'], ['billing']] },
    { name: 'Globex Corporation', slug: 'globex', people: people.slice(6, 9), roles: [['owner', 'billing']] },
  ];
  for (const { name, slug, people: members, roles } of organizations) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
    const organizationId = await findOrAddOrganization(backEnd, { name, slug });
    for (const [index, { email }] of members.entries()) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential, like a real back end
      const { body: page } = await backEnd(`members?q=${encodeURIComponent(email)}`);
      const memberId = Object(itemsOf(page)[0])['id'];
      await backEnd(`organizations/${organizationId}/members`, {
        body: { memberId, roles: roles[index] ?? [] },
      });
    }
    const invitation = { email: `new.colleague@${slug}.example`, organizationId, organizationRoles: ['billing'] };
    await backEnd('invitations', { body: invitation });
  }
}

async function findOrAddOrganization(backEnd: BackEnd, wanted: { name: string; slug: string }): Promise<string> {
  const { body: found } = await backEnd(`organizations?q=${wanted.slug}`);
  const known = itemsOf(found).find((one) => Object(one)['slug'] === wanted.slug);
  const organization = known ?? (await backEnd('organizations', { body: wanted })).body;
  return String(Object(organization)['id']);
}

function itemsOf(body: Json): unknown[] {
  return Array.isArray(body['items']) ? body['items'] : [];
}

/** Refusals are part of the traffic; only a missing response is a fault. */
async function call(url: string, { token, body, method, headers }: Call): Promise<JsonResponse> {
  await setTimeout(PAUSE_MS);
  const form = body instanceof URLSearchParams;
  const response = await fetch(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...headers,
      ...(typeof token === 'string' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && !form && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : form ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  return { status: response.status, body: Object(parsed) };
}
