import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addTeamMember, TeamRole, workspaceScope } from '#operators';
import {
  expectProblem,
  managementToken,
  ownerToken,
  register,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { dereferenced } from '#tests/openapi.ts';
import { newOperator, type Operator, signInOperator, teammate } from '#tests/operators.ts';
import { createTenant, type Tenant } from '#tests/tenants.ts';

type Operation = {
  method: string;
  path: string;
  permission: string | null;
  stepUp: boolean;
  /** The scope is in the query. */
  inQuery: boolean;
};

type Described = {
  'x-step-up'?: boolean;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; example?: string; schema: { enum?: string[] } }[];
};

const SAFE = ['GET'];

const clock = new TestClock();
let latchkey: TestLatchkey;
/** Every operation that needs an operator. */
let operations: Operation[];
/** The operations that also need a permission. */
let guarded: Operation[];
let operators: Map<TeamRole, Operator>;
let expired: string;
let stranger: Operator;
let strangers: Tenant;
let memberId: string;
/** Values of the victim that must not appear in a response to another tenant. */
let secrets: string[];

before(async () => {
  latchkey = await startTestLatchkey({ clock });
  operations = (await described(latchkey.console, '/console/v1/openapi.json')).filter(
    ({ permission }) => permission !== null,
  );
  guarded = operations.filter(({ permission }) => permission?.includes(':'));
  const victim = await register(latchkey, { profile: { displayName: 'Victim of nobody' } });
  const token = await managementToken(latchkey);
  memberId = (await latchkey.api(`/v1/admin/members?q=${victim.email}`, { token })).body.items[0].id;
  secrets = [victim.email, victim.session.userId, memberId, 'Victim of nobody', latchkey.demo.operator.email];
  expired = (await signInOperator(latchkey)).cookie;
  clock.advance(7_300_000);
  operators = new Map();
  for (const role of TeamRole.enum) {
    // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
    operators.set(role, await teammate(latchkey, role));
  }
  strangers = await createTenant(latchkey, 'elsewhere');
  const person = await newOperator(latchkey);
  await latchkey.inProject((tx) =>
    addTeamMember({ ...tx, scope: workspaceScope(strangers.scope.workspaceId) }, person.userId, 'owner'),
  );
  stranger = await signInOperator(latchkey, person);
});
after(() => latchkey.stop());

async function described(call: TestLatchkey['console'], path: string): Promise<Operation[]> {
  const { body } = await call(path);
  return Object.entries<Record<string, Described>>(dereferenced(body).paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: exemplary(template, operation),
      permission: operation.security ? (Object.values(operation.security[0] ?? {})[0]?.[0] ?? 'operator') : null,
      stepUp: operation['x-step-up'] === true,
      inQuery: operation.parameters?.some(({ name }) => name === 'workspaceId') === true,
    })),
  );
}

/** A path filled in with the examples of its description, except the victim's ids. */
function exemplary(template: string, { parameters = [] }: Described): string {
  return parameters
    .filter((parameter) => parameter.in === 'path' && parameter.name !== 'memberId')
    .reduce(
      (filled, { name, example, schema }) => filled.replace(`{${name}}`, example ?? schema.enum?.[0] ?? 'members:read'),
      template,
    );
}

/** Names a member that does not exist, so that nothing changes. */
function nobodys(operation: Operation): Operation {
  return { ...operation, path: operation.path.replace('{memberId}', 'mem_01kaz3w9hqf8p9n2m4v5x6y7z8') };
}

function attempt(
  { method, path, inQuery }: Operation,
  operator: Operator,
  headers: Record<string, string | undefined> = {},
): Promise<TestResponse> {
  const scope = {
    workspaceId: headers['x-workspace-id'] ?? latchkey.demo.workspaceId,
    projectId: headers['x-project-id'] ?? latchkey.demo.projects[0]?.id ?? '',
    environment: 'test',
  };
  const query = inQuery ? `?${new URLSearchParams(scope)}` : '';
  return operator.call(path.replace('{memberId}', memberId) + query, {
    method,
    headers,
    ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
  });
}

function at({ method, path }: Operation, { status, text }: TestResponse, who: string): string {
  return `${method} ${path} as ${who}: ${status} ${text.slice(0, 300)}`;
}

/** Asserts that the response reveals nothing to another tenant. */
function expectNothing(operation: Operation, response: TestResponse): void {
  const about = at(operation, response, 'a stranger');
  // The status belongs to the team of the installation.
  if (operation.permission === 'status:write') assert.equal(response.status, 403, about);
  else if (/\{memberId\}|_01/.test(operation.path)) assert.ok([400, 404, 409].includes(response.status), about);
  const shown = response.text.replace(operation.path.replace('{memberId}', memberId), '');
  for (const secret of secrets) assert.ok(!shown.includes(secret), about);
}

describe('every operation of the console × every caller', () => {
  test('the console serves every admin route of the API host, with the same permission', async () => {
    const admin = (await described(latchkey.api, '/openapi.json')).filter(({ path }) => path.startsWith('/v1/admin/'));
    assert.ok(admin.length > 50);
    for (const { method, path, permission } of admin) {
      const own = path.replace('/v1/admin/', '/console/v1/');
      assert.ok(
        guarded.some((o) => o.method === method && o.path === own && o.permission === permission),
        `${method} ${own}`,
      );
    }
  });

  test('BI-3 without a live session of an operator it is 401: no customer’s or back end’s token is accepted', async () => {
    const nobody: Record<string, Record<string, string>> = {
      'no session': {},
      'a made-up session': { cookie: `latchkey-console=${'x'.repeat(43)}` },
      'an expired session': { cookie: expired },
      'the owner of the project': { authorization: `Bearer ${await ownerToken(latchkey)}` },
      'a back end': { authorization: `Bearer ${await managementToken(latchkey)}` },
    };
    for (const operation of operations) {
      for (const [who, headers] of Object.entries(nobody)) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const response = await latchkey.console(operation.path.replace('{memberId}', memberId), {
          method: operation.method,
          headers: { ...headers, 'x-workspace-id': latchkey.demo.workspaceId },
        });
        assert.equal(response.status, 401, at(operation, response, who));
      }
    }
  });

  test('BI-3 each role may do what the table says, and nothing else', async () => {
    const { items } = (await (operators.get('viewer') ?? stranger).call('/console/v1/team/roles')).body;
    for (const { role, permissions } of items) {
      const operator = operators.get(role);
      assert.ok(operator, role);
      for (const operation of guarded) {
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const response = await attempt(nobodys(operation), operator);
        if (permissions.includes(operation.permission)) {
          assert.ok([200, 201, 204, 400, 402, 404, 409, 415].includes(response.status), at(operation, response, role));
        } else {
          assert.deepEqual(
            [response.status, response.body.errorCode, response.body.requiredPermission],
            [403, 'AUTHORIZATION_DENIED', operation.permission],
            at(operation, response, role),
          );
        }
      }
    }
  });

  test('the table itself: which role may change what', async () => {
    const { items } = (await stranger.call('/console/v1/team/roles')).body;
    const writing = Object.fromEntries(
      items.map(({ role, permissions }: { role: string; permissions: string[] }) => [
        role,
        permissions.filter((key) => !key.endsWith(':read')).map((key) => key.replace(':write', '')),
      ]),
    );
    assert.deepEqual(writing['viewer'], []);
    assert.deepEqual(writing['analyst'], []);
    assert.deepEqual(writing['billing'], ['billing']);
    assert.deepEqual(writing['support'], ['invitations', 'members', 'sessions:revoke']);
    assert.deepEqual(writing['senior_support'], ['invitations', 'members:impersonate', 'members', 'sessions:revoke']);
    assert.deepEqual(writing['developer'], [
      'apis',
      'applications:trust',
      'applications',
      'domains',
      'permissions',
      'providers',
      'roles',
      'settings',
      'webhooks',
    ]);
    const ownersOnly = ['applications:delegate', 'members:impersonate', 'projects:delete', 'workspace:delete'];
    assert.deepEqual(
      writing['admin'],
      writing['owner'].filter((key: string) => !ownersOnly.includes(key)),
    );
    assert.ok(ownersOnly.every((key) => writing['owner'].includes(key)));
    assert.ok(writing['owner'].includes('team') && writing['owner'].includes('members:import'));
  });

  test('BI-3 the owner of another workspace reaches and learns nothing here', async () => {
    const { workspaceId, projectId } = strangers.scope;
    for (const operation of guarded) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const foreign = await attempt(operation, stranger);
      assert.deepEqual(
        [foreign.status, foreign.body.errorCode],
        [403, 'MEMBERSHIP_REQUIRED'],
        at(operation, foreign, 'a stranger'),
      );
      const mixed = await attempt(operation, stranger, { 'x-workspace-id': workspaceId });
      const own = await attempt(operation, stranger, { 'x-workspace-id': workspaceId, 'x-project-id': projectId });
      for (const response of [mixed, own]) expectNothing(operation, response);
    }
  });

  test('every change needs the page’s own origin and token', async () => {
    const owner = operators.get('owner');
    assert.ok(owner);
    for (const operation of operations.filter(({ method }) => !SAFE.includes(method))) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      expectProblem(await attempt(operation, owner, { origin: 'https://evil.example' }), 403, 'ORIGIN_NOT_ALLOWED');
      expectProblem(await attempt(operation, owner, { 'x-csrf-token': undefined }), 403, 'CSRF_TOKEN_INVALID');
    }
  });

  test('exactly the operations that are described as dangerous require a step-up after ten minutes', async () => {
    const owner = operators.get('owner');
    assert.ok(owner);
    clock.advance(601_000);
    for (const operation of guarded.filter(({ method, stepUp }) => stepUp || !SAFE.includes(method))) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await attempt(nobodys(operation), owner);
      assert.equal(
        response.body.errorCode === 'REAUTHENTICATION_REQUIRED',
        operation.stepUp,
        at(operation, response, 'owner'),
      );
    }
    assert.equal(guarded.filter(({ stepUp }) => stepUp).length, 80);
  });
});
