import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Request } from 'playwright-core';
import { TeamRole } from '#operators';
import { openBrowser } from '#tests/browser.ts';
import { type ConsoleApp, openConsole } from '#tests/console-app.ts';
import { eventually, register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { signInOperator, teammate } from '#tests/operators.ts';
import { LISTS, OF_THE_STATUS, OF_THE_WORKSPACE, type Screen } from '#tests/screens-by-permission.ts';

let latchkey: TestLatchkey;
let browser: Browser;
before(async () => {
  [latchkey, browser] = await Promise.all([startTestLatchkey(), openBrowser()]);
  await makeRecords();
});
after(async () => {
  await browser.close();
  await latchkey.stop();
});

/** One record of each kind. */
let records: readonly Screen[];
const permissions = new Map<string, readonly string[]>();

async function makeRecords(): Promise<void> {
  const owner = await signInOperator(latchkey);
  const made = async (path: string, body: unknown) => {
    const response = await owner.call(`/console/v1${path}`, { method: 'POST', body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  const listed = async (path: string) => (await owner.call(`/console/v1${path}`)).body.items;
  const { email } = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  const [member] = await listed(`/members?q=${encodeURIComponent(email)}`);
  const managing = (await listed('/applications')).find(({ kind }: { kind: string }) => kind === 'management');
  const [api] = await listed('/apis');
  const [provider] = await listed('/identity-providers');
  const domain = await made('/domains', { host: 'login.example.com' });
  const acme = `/organizations/${(await made('/organizations', { name: 'Acme' })).id}`;
  const inAcme = { title: 'Acme', needs: 'organizations:read' };
  const url = 'http://127.0.0.1:9/hooks';
  const endpoint = await made('/webhooks/endpoints', { url, events: ['user.*'] });
  await made(`/webhooks/endpoints/${endpoint.id}/test`, {});
  const [delivery] = await eventually(async () => {
    const found = await listed('/webhooks/deliveries');
    assert.equal(found[0]?.status, 'retrying');
    return found;
  });
  const incident = await made('/status/incidents', {
    title: 'Messages arrive late',
    body: 'We look.',
    severity: 'minor',
  });
  await made('/invitations', { email: 'waiting@example.com' });
  await made('/roles', { key: 'clerk', name: 'Clerk', permissions: [] });
  await made('/authorization/types', { key: 'document', name: 'Document' });
  records = [
    {
      path: `/members/${member.id}`,
      title: 'Ada Lovelace',
      needs: 'members:read',
      actions: {
        Block: 'members:write',
        'More actions': 'members:write',
        Remove: 'members:write',
        'End all': 'sessions:revoke',
      },
    },
    {
      path: `/applications/${managing.id}`,
      title: managing.name,
      needs: 'applications:read',
      edits: 'applications:write',
      actions: { 'Add secret': 'applications:write', Remove: 'applications:write' },
    },
    {
      path: `/apis/${api.id}`,
      title: api.name,
      needs: 'apis:read',
      edits: 'apis:write',
      actions: { 'Add scope': 'apis:write', Remove: 'apis:write' },
    },
    {
      path: '/authorization/types/document',
      title: 'Document',
      needs: 'roles:read',
      edits: 'roles:write',
      actions: { 'Add relation': 'roles:write', Remove: 'roles:write' },
    },
    {
      path: `/providers/${provider.id}`,
      title: provider.name,
      needs: 'providers:read',
      edits: 'providers:write',
      actions: { 'Test now': 'providers:write', Remove: 'providers:write' },
    },
    {
      path: `/domains/${domain.id}`,
      title: 'login.example.com',
      needs: 'domains:read',
      actions: { 'Check now': 'domains:write', Remove: 'domains:write' },
    },
    {
      path: `/webhooks/${endpoint.id}`,
      title: url,
      needs: 'webhooks:read',
      edits: 'webhooks:write',
      actions: { 'Send test': 'webhooks:write', More: 'webhooks:write' },
    },
    {
      path: `/webhooks/deliveries/${delivery.id}`,
      title: delivery.eventType,
      needs: 'webhooks:read',
      actions: { 'Retry now': 'webhooks:write' },
    },
    {
      path: `/status/${incident.id}`,
      title: 'Messages arrive late',
      needs: 'status:read',
      actions: { Publish: 'status:write' },
    },
    {
      ...inAcme,
      path: `${acme}/domains`,
      edits: 'organizations:write',
      actions: { 'Add domain': 'organizations:write' },
    },
    { ...inAcme, path: `${acme}/branding`, edits: 'organizations:write' },
    { ...inAcme, path: `${acme}/connections`, actions: { 'Add connection': 'organizations:write' } },
    { ...inAcme, path: `${acme}/directory`, actions: { 'Issue token': 'organizations:write' } },
  ];
  for (const { role, permissions: granted } of await listed('/team/roles')) permissions.set(role, granted);
}

/** The console waits for news as long as a list is shown. */
const isWaiting = (request: Request) => new URL(request.url()).searchParams.has('wait');

/** Every refused request since the last call, once all pending requests have a response. */
function watchRefusals({ page }: ConsoleApp): () => Promise<string[]> {
  const pending = new Set<Request>();
  const refused: string[] = [];
  page.on('request', (request) => !isWaiting(request) && pending.add(request));
  page.on('requestfailed', (request) => pending.delete(request));
  page.on('requestfinished', async (request) => {
    const status = (await request.response())?.status() ?? 0;
    if (status >= 400) refused.push(`${status} ${new URL(request.url()).pathname}`);
    pending.delete(request);
  });
  return async () => {
    await eventually(async () => assert.equal(pending.size, 0));
    return refused.splice(0);
  };
}

/**
 * Every item of the first list, with some of the second between them, which may have equal titles when they are
 * refused.
 */
function alternating(lists: readonly Screen[], others: readonly Screen[]): readonly Screen[] {
  return lists.flatMap((screen, index) => [screen, ...others.slice(index, index + 1)]);
}

const REFUSED = 'You don’t have access';

type May = (permission: string) => boolean;

/** What a screen shows, read at once: a query for each part takes most of the time of this test. */
type Shown = {
  alerts: string[];
  /** The texts of the elements that hold no other element. */
  texts: string[];
  buttons: string[];
  links: string[];
  tables: number;
  fieldsToChange: number;
};

function shownBy({ page }: ConsoleApp): Promise<Shown> {
  return page.evaluate(() => {
    const { document } = Object(globalThis);
    const visible = (selector: string) =>
      [...document.querySelectorAll(selector)].filter((element) =>
        element.checkVisibility({ visibilityProperty: true }),
      );
    const texts = (selector: string) => visible(selector).map((element): string => element.textContent.trim());
    const names = (selector: string) =>
      visible(selector).map((element): string => element.ariaLabel ?? element.textContent.trim());
    return {
      alerts: texts('[role=alert]'),
      texts: texts('main :not(:has(*))'),
      buttons: names('main button'),
      links: names('main a'),
      tables: visible('main table').length,
      fieldsToChange: document.querySelectorAll('main fieldset :is(input, textarea):enabled').length,
    };
  });
}

/** What is wrong with a screen for an operator with these permissions. */
function faultsOf(shown: Shown, screen: Screen, may: May): string[] {
  const { needs } = screen;
  const found = needs === undefined || may(needs) ? offersOf(shown, screen, may) : refusalOf(shown, needs);
  return [...shown.alerts.map((text) => `says ${text}`), ...found];
}

function refusalOf({ texts, tables, buttons }: Shown, needs: string): string[] {
  const faults: string[] = [];
  if (!texts.includes(needs)) faults.push(`does not name ${needs}`);
  if (tables > 0) faults.push('shows a table beside the refusal');
  if (buttons.some((name) => !name.startsWith('Copy '))) faults.push('offers something beside the refusal');
  return faults;
}

function offersOf(
  { texts, buttons, links, fieldsToChange }: Shown,
  { actions = {}, edits }: Screen,
  may: May,
): string[] {
  const faults: string[] = [];
  if (texts.some((text) => text.includes(REFUSED))) faults.push('is refused');
  for (const [name, permission] of Object.entries(actions)) {
    const isThere = buttons.includes(name) || links.includes(name);
    if (isThere !== may(permission)) faults.push(`${isThere ? 'offers' : 'does not offer'} ${name}`);
  }
  if (edits !== undefined && fieldsToChange > 0 !== may(edits)) faults.push(`${fieldsToChange} fields can be changed`);
  return faults;
}

for (const role of TeamRole.enum) {
  test(`${role}: every screen opens or names the missing permission, and offers only what the role may do`, async () => {
    const app = await openConsole(latchkey, browser, { operator: await teammate(latchkey, role) });
    const granted = permissions.get(role) ?? [];
    const refusals = watchRefusals(app);
    await app.openWorkspace('/projects');
    const faults: string[] = [];
    const check = async (screen: Screen, goTo: ConsoleApp['goTo']) => {
      const opens = screen.needs === undefined || granted.includes(screen.needs);
      const isRecord = records.includes(screen);
      await goTo(screen.path, opens || !isRecord ? screen.title : REFUSED);
      if (!opens) await app.page.getByText(REFUSED).first().waitFor();
      const unexpected = (await refusals()).filter((line) => opens || !line.startsWith('403 '));
      faults.push(
        ...[...faultsOf(await shownBy(app), screen, (key) => granted.includes(key)), ...unexpected].map(
          (fault) => `${screen.path}: ${fault}`,
        ),
      );
    };
    for (const screen of alternating(LISTS, [...OF_THE_STATUS, ...records])) {
      // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
      await check(screen, app.goTo);
    }
    for (const screen of OF_THE_WORKSPACE) {
      // biome-ignore lint/performance/noAwaitInLoops: one page, one screen after the other
      await check(screen, app.goToWorkspace);
    }
    assert.deepEqual(faults, []);
    await app.context.close();
  });
}
