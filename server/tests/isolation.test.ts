import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { revokeTokens } from '#access-tokens';
import {
  eventually,
  managementToken,
  ownerToken,
  PASSWORD,
  register,
  requestManagementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from '#tests/harness.ts';
import { codeFlow, signInOn } from '#tests/oidc.ts';
import { attempt, type Operation, operationsIn, type Records } from '#tests/operations.ts';
import { type Receiver, startReceiver } from '#tests/receiver.ts';
import { createTenant, staffProject, tenantManagementToken, tenantToken } from '#tests/tenants.ts';

const clock = new TestClock();
let latchkey: TestLatchkey;
let receiver: Receiver;
let operations: Operation[];
let tokens: Record<string, string>;
/** Records of the demo's project, which is the victim. */
let records: Records;
/** Values of the victim that must not appear in a response to another tenant. */
let secrets: string[];

before(async () => {
  [latchkey, receiver] = await Promise.all([startTestLatchkey({ clock }), startReceiver()]);
  const expired = {
    'an expired session': (await register(latchkey)).access_token,
    'an expired management token': await managementToken(latchkey),
  };
  clock.advance(3_601_000);
  records = await makeRecords();
  operations = operationsIn((await latchkey.api('/openapi.json')).body, records);
  tokens = { ...expired, ...(await strangers()), ...(await insiders()) };
});
after(async () => {
  await latchkey.stop();
  await receiver.stop();
});

/** One record of each kind, created by the owner. */
async function makeRecords(): Promise<Records> {
  const token = await ownerToken(latchkey);
  const make = async (path: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await latchkey.api(`/v1/admin/${path}`, { token, body });
    assert.equal(response.status, 201, response.text);
    return response.body;
  };
  const victim = await register(latchkey, { profile: { displayName: 'Victim of nobody' } });
  const found = await latchkey.api(`/v1/admin/members?q=${victim.email}`, { token });
  const member = found.body.items[0];
  await make('permissions', { key: 'victim:act', description: 'Of the victim' });
  const application = await make('applications', {
    kind: 'web',
    name: 'Victim shop',
    redirectUris: ['https://shop.example/'],
  });
  const provider = { key: 'victim', preset: 'oidc', clientId: 'victim', options: { issuer: 'https://id.example' } };
  const endpoint = await make('webhooks/endpoints', { url: `${receiver.origin}/victim`, events: ['role.created'] });
  const stream = await make('log-streams', {
    name: 'Victim stream',
    kind: 'json_lines',
    url: `${receiver.origin}/victim-stream`,
  });
  const action = await make('actions', {
    name: 'Victim action',
    moment: 'token',
    url: `${receiver.origin}/victim-action`,
    onFailure: 'continue',
    enabled: false,
  });
  const samlApplication = await make('applications', {
    kind: 'saml',
    name: 'Victim shop',
    saml: { entityId: 'https://victim.example', consumers: [{ url: 'https://victim.example/acs', index: 0 }] },
  });
  const samlKey = await make('saml/keys', {});
  const role = await make('roles', { key: 'victim', name: 'Victim role', permissions: [] });
  const delivery = await eventually(async () => {
    const { body } = await latchkey.api(`/v1/admin/webhooks/deliveries?endpointId=${endpoint.id}`, { token });
    assert.equal(body.items[0]?.status, 'delivered');
    return body.items[0];
  });
  const invitation = await make('invitations', { email: 'victim.guest@example.com', roles: ['viewer'] });
  const idp = await make('identity-providers', provider);
  const domain = await make('domains', { host: 'victim.example.com' });
  const api = await make('apis', { identifier: 'https://victim.example', name: 'Victim API' });
  const organization = await make('organizations', { name: 'Victim company' });
  await make(`organizations/${organization.id}/members`, { memberId: member.id, roles: ['owner'] });
  const mailDomain = await make(`organizations/${organization.id}/domains`, { host: 'victim-company.example' });
  const organizationRole = await make('organization-roles', { key: 'victim-company', name: 'Victim company role' });
  const type = await make('authorization/types', { key: 'victim-file', name: 'Victim file' });
  // The type of the examples in the description.
  await make('authorization/types', { key: 'document', name: 'Document' });
  const job = await latchkey.api('/v1/admin/members/import', {
    token,
    body: JSON.stringify({ email: 'victim.import@example.com' }),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  assert.equal(job.status, 202, job.text);
  const prefix = '+4366099';
  await blockNumbers(prefix);
  secrets = [
    victim.email,
    victim.session.userId,
    member.id,
    'Victim of nobody',
    'Victim shop',
    'Victim role',
    'Victim company',
    'Victim stream',
    'Victim action',
  ];
  return {
    mem: member.id,
    usr: victim.session.userId,
    ses: victim.session.id,
    rol: role.id,
    app: application.id,
    sec: application.secrets[0].id,
    idp: idp.id,
    whe: endpoint.id,
    dlv: delivery.id,
    lgs: stream.id,
    act: action.id,
    inv: invitation.id,
    dom: domain.id,
    api: api.id,
    org: organization.id,
    odm: mailDomain.id,
    samlApplicationId: samlApplication.id,
    sky: samlKey.id,
    roleKey: organizationRole.key,
    typeKey: type.key,
    imp: job.body.id,
    key: 'victim:act',
    prefix,
    clientId: application.clientId,
  };
}

/** As the guard against SMS pumping does. */
async function blockNumbers(prefix: string): Promise<void> {
  const { demo, system } = latchkey;
  await system.pool.query(
    `insert into sms_blocks (workspace_id, project_id, environment, prefix, reason, sent, used, created_at, expires_at)
     values ($1, $2, 'test', $3, 'conversion', 30, 1, $4::timestamptz, $4::timestamptz + interval '1 day')`,
    [demo.workspaceId, demo.projects[0]?.id, prefix, clock.now()],
  );
}

/** Tokens from elsewhere, with every permission there. */
async function strangers(): Promise<Record<string, string>> {
  const other = await createTenant(latchkey, 'elsewhere');
  const [, helpdesk] = latchkey.demo.projects;
  assert.ok(helpdesk);
  const beside = await staffProject(latchkey, helpdesk.id, 'beside');
  const { owner } = latchkey.demo.environments.production;
  const production = await latchkey.auth(
    '/v1/auth/login/password',
    { body: { identifier: owner.email, password: owner.password } },
    'production',
  );
  return {
    'an owner of another project': await tenantToken(latchkey, beside),
    'a management token of another project': await tenantManagementToken(latchkey, beside),
    'an owner of another workspace': await tenantToken(latchkey, other),
    'a management token of another workspace': await tenantManagementToken(latchkey, other),
    'an owner of the other environment': production.body.access_token,
    'a management token of the other environment': (await requestManagementToken(latchkey, {}, 'production')).body
      .access_token,
  };
}

/** Tokens of the victim's own project that are not, or no longer, valid for the operation. */
async function insiders(): Promise<Record<string, string>> {
  const revoked = await register(latchkey);
  await latchkey.auth('/v1/sessions/logout', { token: revoked.access_token, method: 'POST' });
  const [, helpdesk] = latchkey.demo.projects;
  const visitor = await register(latchkey);
  const { workspaceId } = latchkey.demo;
  const inHelpdesk = await latchkey.auth('/v1/auth/login/password', {
    body: { workspaceId, projectId: helpdesk?.id, identifier: visitor.email, password: PASSWORD },
  });
  const { owner: email } = await staffProject(latchkey, latchkey.demo.projects[0]?.id ?? 'prj_none', 'openid');
  const flow = await codeFlow(latchkey);
  const page = await signInOn(latchkey, flow, { email });
  return {
    'no token': '',
    'a malformed token': 'not.a.token',
    'a revoked session': revoked.access_token,
    'a revoked management token': await revokedManagementToken(),
    'an OIDC access token of the owner': (await flow.finish(page)).access_token,
    'a customer without the permission': (await register(latchkey)).access_token,
    'a customer of another project': inHelpdesk.body.access_token,
    'a management token without the permission': await managementToken(latchkey, 'audit:read'),
    'another management token without the permission': await managementToken(latchkey, 'events:read'),
  };
}

async function revokedManagementToken(): Promise<string> {
  const tenant = await createTenant(latchkey, 'revoked');
  const token = await tenantManagementToken(latchkey, tenant);
  const { applicationId } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  await latchkey.inProject((tx) => revokeTokens(tx, [applicationId], tx.now), tenant.scope);
  return token;
}

/** Calls every given operation with every given token. */
async function everyOne(
  some: readonly Operation[],
  names: readonly string[],
  check: (response: TestResponse, operation: Operation, about: string) => void,
): Promise<void> {
  assert.ok(some.length > 0);
  for (const name of names) {
    const token = tokens[name];
    assert.ok(token !== undefined, name);
    for (const operation of some) {
      // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
      const response = await attempt(latchkey, operation, token);
      check(
        response,
        operation,
        `${operation.method} ${operation.path} with ${name}: ${response.status} ${response.text}`,
      );
    }
  }
}

const guarded = () => operations.filter(({ permission }) => permission !== null);
const administrative = () => operations.filter(({ permission }) => permission?.includes(':'));
const own = () => operations.filter(({ permission }) => permission === 'customer');

const NOBODY = [
  'no token',
  'a malformed token',
  'an expired session',
  'an expired management token',
  'a revoked session',
  'a revoked management token',
  'an owner of the other environment',
  'a management token of the other environment',
];
const STRANGERS = [
  'an owner of another project',
  'a management token of another project',
  'an owner of another workspace',
  'a management token of another workspace',
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
      '/v1/admin/audit-events',
    ])
      assert.ok(
        operations.some((operation) => operation.path === path),
        path,
      );
  });

  test('BI-3 only the status is public', () => {
    const open = operations.filter(({ permission }) => permission === null).map(({ path }) => path);
    assert.ok(open.includes('/api/status/summary'));
    assert.deepEqual(
      open.filter((path) => !/^\/api\/(status|v2)\//.test(path)),
      [],
    );
  });

  test('BI-3 a token that is not valid here gets 401', async () => {
    await everyOne(guarded(), NOBODY, (response, _operation, about) => assert.equal(response.status, 401, about));
  });

  test('BI-3 an access token of the OpenID provider gets 403, also the owner’s', async () => {
    await everyOne(guarded(), ['an OIDC access token of the owner'], ({ status, body }, _operation, about) =>
      assert.deepEqual([status, body.errorCode], [403, 'WRONG_TOKEN_KIND'], about),
    );
  });

  test('BI-3 without the permission it is 403, which names the permission', async () => {
    const check = ({ status, body }: TestResponse, { permission }: Operation, about: string) =>
      assert.deepEqual(
        [status, body.errorCode, body.requiredPermission],
        [403, 'AUTHORIZATION_DENIED', permission],
        about,
      );
    const customers = ['a customer without the permission', 'a customer of another project'];
    await everyOne(administrative(), customers, check);
    const lacking = (permission: string) => administrative().filter((operation) => operation.permission !== permission);
    await everyOne(lacking('audit:read'), ['a management token without the permission'], check);
    await everyOne(lacking('events:read'), ['another management token without the permission'], check);
  });

  test('BI-3 full permissions elsewhere reach no record here: the response is that for an unknown record', async () => {
    const naming = administrative().filter(({ namesRecord }) => namesRecord);
    assert.ok(naming.length >= 30, `${naming.length} operations name a record`);
    await everyOne(naming, STRANGERS, ({ status, body }, { path }, about) => {
      // Checks of several people say of each that they are not a member, as of a person who does not exist.
      if (path === '/v1/admin/authorization/check-batch' && status === 200) {
        assert.deepEqual(
          new Set(body.results.map(({ denial }: { denial: string }) => denial)),
          new Set(['not_a_member']),
          about,
        );
        return;
      }
      // A project that does not match the token is refused before any look-up.
      const expected = status === 403 ? [403, 'CONTEXT_NOT_ALLOWED'] : [404, 'NOT_FOUND'];
      assert.deepEqual([status, body.errorCode], expected, about);
    });
  });

  test('BI-3 full permissions elsewhere reveal nothing of this project', async () => {
    const reading = administrative().filter(({ method }) => method === 'GET');
    await everyOne(reading, STRANGERS, (response, operation, about) => {
      const told = response.text.replaceAll(operation.path, '');
      for (const secret of [...secrets, ...Object.values(records)]) assert.ok(!told.includes(secret), about);
    });
  });

  test('BI-3 a customer reaches nothing of another customer', async () => {
    const naming = own().filter(({ namesRecord, path }) => namesRecord && path !== '/v1/me/security/applications');
    await everyOne(naming, ['a customer without the permission'], (response, _operation, about) =>
      assert.ok([204, 404].includes(response.status), about),
    );
  });

  test('BI-3 a management token gets 403 on every /v1/me path', async () => {
    tokens['a management token'] = await managementToken(latchkey);
    await everyOne(own(), ['a management token'], ({ status, body }, _operation, about) =>
      assert.deepEqual([status, body.errorCode], [403, 'WRONG_TOKEN_KIND'], about),
    );
  });

  test('BI-3 the matrix can fail: the owner still reads every record afterwards', async () => {
    tokens['the owner'] = await ownerToken(latchkey);
    const reading = guarded().filter(({ method }) => method === 'GET');
    await everyOne(reading, ['the owner'], ({ status }, { permission, namesRecord, namesNothing }, about) => {
      const othersOwn = permission === 'customer' && namesRecord;
      assert.equal(status, othersOwn || namesNothing ? 404 : 200, about);
    });
    const { text } = await latchkey.api(`/v1/admin/members/${records['mem']}`, { token: tokens['the owner'] });
    assert.ok(text.includes('Victim of nobody') && text.includes('"status":"active"'), text);
  });
});

describe('operations of the auth host that need a session', () => {
  test('BI-3 a token that is not valid here gets 401', async () => {
    const described = operationsIn((await latchkey.auth('/openapi.json')).body, records);
    const needing = described.filter(({ permission, optional }) => permission !== null && !optional);
    assert.ok(needing.length >= 3);
    for (const name of NOBODY) {
      for (const { method, path, body } of needing) {
        const token = tokens[name] ?? '';
        // biome-ignore lint/performance/noAwaitInLoops: sequential on purpose
        const response = await latchkey.auth(path, { method, ...(token !== '' && { token }), body: body ?? {} });
        assert.equal(response.status, 401, `${method} ${path} with ${name}: ${response.text}`);
      }
    }
  });
});
