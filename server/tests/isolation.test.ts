import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { revokeSubject } from '#sessions';
import {
  type Answer,
  managementToken,
  ownerToken,
  PASSWORD,
  register,
  requestManagementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
} from '#tests/harness.ts';
import { createTenant, tenantManagementToken, tenantToken } from '#tests/tenants.ts';

type Operation = { method: string; path: string; permission: string | null };

type Described = {
  security?: { bearer?: string[] }[];
  parameters?: { name: string; in: string; example?: string; schema: { enum?: string[] } }[];
};

const clock = new TestClock();
let latchkey: TestLatchkey;
let operations: Operation[];
let tokens: Record<string, string>;
/** Values of the victim that no answer to a stranger may contain. */
let secrets: string[];

before(async () => {
  latchkey = await startTestLatchkey({ clock });
  operations = await describedOperations();
  const victim = await register(latchkey, { profile: { displayName: 'Victim of nobody' } });
  const victimMember = (
    await latchkey.api(`/v1/admin/members?q=${victim.email}`, { token: await managementToken(latchkey) })
  ).body.items[0];
  secrets = [victim.email, victim.session.userId, victimMember.id, 'Victim of nobody'];
  const expired = await register(latchkey);
  clock.advance(901_000);
  const other = await createTenant(latchkey, 'elsewhere');
  const revoked = await register(latchkey);
  await latchkey.auth('/v1/sessions/logout', { token: revoked.access_token, method: 'POST' });
  const { owner } = latchkey.demo.environments.production;
  const production = await latchkey.auth(
    '/v1/auth/login/password',
    { body: { identifier: owner.email, password: owner.password } },
    'production',
  );
  const [, helpdesk] = latchkey.demo.projects;
  const stranger = await register(latchkey);
  const inHelpdesk = await latchkey.auth('/v1/auth/login/password', {
    body: {
      workspaceId: latchkey.demo.workspaceId,
      projectId: helpdesk?.id,
      identifier: stranger.email,
      password: PASSWORD,
    },
  });
  tokens = {
    'no token': '',
    'a malformed token': 'not.a.token',
    'an expired session': expired.access_token,
    'a revoked session': revoked.access_token,
    'a customer without the permission': (await register(latchkey)).access_token,
    'a customer of another project': inHelpdesk.body.access_token,
    'an owner of another workspace': await tenantToken(latchkey, other),
    'an owner of the other environment': production.body.access_token,
    'a management token of another workspace': await tenantManagementToken(latchkey, other),
    'a management token of the other environment': (await requestManagementToken(latchkey, {}, 'production')).body
      .access_token,
    'a revoked management token': await revokedManagementToken(),
  };
});
after(() => latchkey.stop());

async function describedOperations(): Promise<Operation[]> {
  const { body } = await latchkey.api('/openapi.json');
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path: exemplary(path, described),
      permission: described.security ? (described.security[0]?.bearer?.[0] ?? 'customer') : null,
    })),
  );
}

/** A path with the examples of its description in place of its parameters, save the victim's own. */
function exemplary(path: string, { parameters = [] }: Described): string {
  return parameters
    .filter((parameter) => parameter.in === 'path' && parameter.name !== 'memberId')
    .reduce(
      (filled, { name, example, schema }) => filled.replace(`{${name}}`, example ?? schema.enum?.[0] ?? 'members:read'),
      path,
    );
}

async function revokedManagementToken(): Promise<string> {
  const tenant = await createTenant(latchkey, 'revoked');
  const token = await tenantManagementToken(latchkey, tenant);
  const { applicationId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  await latchkey.inProject((tx) => revokeSubject(tx, applicationId), tenant.scope);
  return token;
}

function concrete(path: string): string {
  return path.replace('{memberId}', secrets[2] ?? '');
}

function attempt({ method, path }: Operation, token: string): Promise<Answer> {
  return latchkey.api(concrete(path), {
    method,
    ...(token !== '' && { token }),
    ...(method !== 'GET' && method !== 'DELETE' && { body: {} }),
  });
}

const NOBODY = [
  'no token',
  'a malformed token',
  'an expired session',
  'a revoked session',
  'an owner of the other environment',
  'a management token of the other environment',
  'a revoked management token',
];

describe('every operation of the API host × every token that is not its own', () => {
  test('BI-3 the description covers the surfaces of the interface', () => {
    for (const path of [
      '/v1/me/context',
      '/v1/me/memberships',
      '/v1/me/authorization',
      '/v1/me/profile',
      '/v1/admin/members',
      '/v1/admin/roles',
      '/v1/admin/permissions',
    ])
      assert.ok(
        operations.some((operation) => operation.path === path),
        path,
      );
  });

  test('BI-3 only the status is open to everybody', () => {
    const open = operations.filter(({ permission }) => permission === null).map(({ path }) => path);
    assert.ok(open.includes('/api/status/summary'));
    assert.deepEqual(
      open.filter((path) => !/^\/api\/(status|v2)\//.test(path)),
      [],
    );
  });

  test('BI-3 a token that is no valid session here gets 401', async () => {
    for (const operation of operations.filter(({ permission }) => permission !== null)) {
      for (const name of NOBODY) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const answer = await attempt(operation, tokens[name] ?? '');
        assert.equal(answer.status, 401, `${operation.method} ${operation.path} with ${name}: ${answer.text}`);
      }
    }
  });

  test('BI-3 without the permission, or of another project, gets 403', async () => {
    for (const operation of operations.filter(({ permission }) => permission?.includes(':'))) {
      for (const name of ['a customer without the permission', 'a customer of another project']) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const answer = await attempt(operation, tokens[name] ?? '');
        assert.equal(answer.status, 403, `${operation.method} ${operation.path} with ${name}: ${answer.text}`);
        assert.equal(answer.body.requiredPermission, operation.permission);
      }
    }
  });

  test('BI-3 full rights in another workspace reach nothing and learn nothing', async () => {
    for (const operation of operations.filter(({ permission }) => permission?.includes(':'))) {
      for (const name of ['an owner of another workspace', 'a management token of another workspace']) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        const answer = await attempt(operation, tokens[name] ?? '');
        const about = `${operation.method} ${operation.path} with ${name}: ${answer.status} ${answer.text}`;
        if (/\{memberId\}|_01/.test(operation.path)) assert.ok([400, 404, 409].includes(answer.status), about);
        for (const secret of secrets)
          assert.ok(!answer.text.replace(concrete(operation.path), '').includes(secret), about);
      }
    }
  });

  test('BI-3 a management token gets 403 on every /v1/me path', async () => {
    const token = await managementToken(latchkey);
    for (const operation of operations.filter(({ permission }) => permission === 'customer')) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const answer = await attempt(operation, token);
      assert.deepEqual(
        [answer.status, answer.body.errorCode],
        [403, 'WRONG_TOKEN_KIND'],
        `${operation.method} ${operation.path}`,
      );
    }
  });

  test('BI-3 the matrix can fail: the owner himself passes every check of it', async () => {
    const token = await ownerToken(latchkey);
    for (const operation of operations.filter(({ permission, method }) => permission !== null && method === 'GET')) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const answer = await attempt(operation, token);
      assert.ok([200, 404].includes(answer.status), `${operation.method} ${operation.path}: ${answer.status}`);
    }
  });
});
