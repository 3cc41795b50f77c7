import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { refreshTokenGrant } from 'openid-client';
import { createProject } from '#environments';
import type { ProjectId } from '#platform/ids.ts';
import { isClosed } from '#tenancy';
import { newApplication } from '#tests/apis.ts';
import { softwareAuthenticator } from '#tests/authenticator.ts';
import { challengeIn, totpOf } from '#tests/factors.ts';
import { eventually, newEmail, PASSWORD, register, TestClock, type TestLatchkey } from '#tests/harness.ts';
import { browserOf, codeFlow, signInOn } from '#tests/oidc.ts';
import { newOperator } from '#tests/operators.ts';
import { newServiceProvider, readAt, signInAtProvider } from '#tests/saml-service-provider.ts';
import { startSecondProcess } from '#tests/second-process.ts';
import { fillTenantTables } from '#tests/tenant-rows.ts';
import { tenantManagementToken } from '#tests/tenants.ts';
import { expectWhole, type Installations, type OwnedTenant, startInstallations } from '#tests/workspace-moves.ts';

let installations: Installations;
let source: TestLatchkey;
let target: TestLatchkey;
before(async () => {
  installations = await startInstallations({ own: 'rows that fill every table' });
  ({ source, target } = installations);
});
after(() => installations.stop());

describe('a workspace that moves', () => {
  let tenant: OwnedTenant;
  let member: { email: string; access_token: string; refresh_token: string };
  let recoveryCode: string;
  let closedProject: ProjectId;
  let webhook: { id: string; secret: string };
  let file: string;
  const acknowledged: string[] = [];
  const inTenant = () => ({ workspaceId: tenant.scope.workspaceId, projectId: tenant.scope.projectId });

  before(async () => {
    tenant = await installations.ownedTenant('moving');
    member = await register(source, inTenant());
    const { recoveryCodes } = await totpOf(source, member, new TestClock());
    recoveryCode = recoveryCodes[0] ?? '';
    const token = await tenantManagementToken(source, tenant);
    const added = await source.api('/v1/admin/webhooks/endpoints', {
      token,
      body: { url: 'https://hooks.example.com/a', events: ['user.created'] },
    });
    assert.equal(added.status, 201, added.text);
    webhook = added.body;
    await fillTenantTables(source.system, tenant.scope);
    const inWorkspace = { workspaceId: tenant.scope.workspaceId };
    closedProject = await source.inProject((tx) => createProject(tx, 'Closed'), inWorkspace);
    await source.system.pool.query(
      `update projects set delete_at = now() + interval '6 days' where workspace_id = $1 and id = $2`,
      [tenant.scope.workspaceId, closedProject],
    );
  });

  test('is closed while people register, and the file has everyone who was let in', async () => {
    let closed = false;
    const people = async (): Promise<void> => {
      while (!closed) {
        const email = newEmail();
        // biome-ignore lint/performance/noAwaitInLoops: one after the other is the load
        const { status } = await fetch(`${source.system.config.addresses.test.auth}/v1/auth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...inTenant(), email, password: PASSWORD }),
        });
        if (status === 200) acknowledged.push(email);
        else closed = true;
      }
    };
    const registering = [people(), people(), people()];
    await eventually(async () => assert.ok(acknowledged.length >= 3));
    file = await installations.exported(tenant.scope, '--close');
    await Promise.all(registering);
    const login = { ...inTenant(), identifier: member.email, password: PASSWORD };
    assert.equal((await source.auth('/v1/auth/login/password', { body: login })).status, 400);
    assert.ok(!(await readFile(file)).includes('AGE-SECRET'), 'nothing of it is readable');
  });

  test('is there as a whole where it is imported: every table of the schema', async () => {
    const { status, output, errors } = await installations.command(
      target,
      'import',
      file,
      '--owner',
      tenant.operator,
      '--json',
    );
    assert.equal(status, 0, errors);
    const report = JSON.parse(output);
    assert.equal(report.key, undefined, 'the key of the file is not shown');
    assert.deepEqual(report.joined, [tenant.operator]);
    assert.equal(report.missing.length, 1);
    assert.deepEqual(report.otherAddresses.length, 4, 'the installations have other ports');
    await expectWhole(source, target, tenant);
  });

  test('lets everyone in who was acknowledged, and goes on with their sessions, factors and codes', async () => {
    for (const identifier of acknowledged) {
      // biome-ignore lint/performance/noAwaitInLoops: few people
      const { status, text: why } = await target.auth('/v1/auth/login/password', {
        body: { ...inTenant(), identifier, password: PASSWORD },
      });
      assert.equal(status, 200, why);
    }
    const {
      status,
      body,
      text: why,
    } = await target.auth('/v1/sessions/refresh', {
      body: { refresh_token: member.refresh_token },
    });
    assert.equal(status, 200, why);
    const me = await target.api('/v1/me/context', { token: body.access_token });
    assert.equal(me.status, 200, me.text);
    const asked = await target.auth('/v1/auth/login/password', {
      body: { ...inTenant(), identifier: member.email, password: PASSWORD },
    });
    const { mfaToken } = challengeIn(asked);
    const proven = await target.auth('/v1/auth/mfa/verify', {
      body: { mfaToken, code: recoveryCode },
    });
    assert.equal(proven.status, 200, proven.text);
  });

  test('keeps its webhooks with their secrets, its waiting mails, and its numbered events', async () => {
    const { system } = target;
    await eventually(async () => {
      const { body } = await target.console(`/dev/inbox?to=${encodeURIComponent(member.email)}`);
      assert.ok(body.items.some(({ text }: { text: string }) => text.includes('authenticator app was added')));
    });
    const { rows } = await system.pool.query<{ secrets: string }>(
      'select secrets::text as secrets from webhook_endpoints where workspace_id = $1 and id = $2',
      [tenant.scope.workspaceId, webhook.id],
    );
    const [sealed = ''] = /k1\.[\w.-]+/.exec(rows[0]?.secrets ?? '') ?? [];
    assert.equal(system.keyring.open(sealed, 'webhook-secret', webhook.id), webhook.secret);
    const numbers = async (latchkey: TestLatchkey) => {
      const found = await latchkey.system.pool.query<{ id: string; sequence: number }>(
        'select id, sequence from events where workspace_id = $1 and sequence is not null order by id',
        [tenant.scope.workspaceId],
      );
      return found.rows.map(({ id, sequence }) => `${id} ${sequence}`);
    };
    const now = new Set(await numbers(target));
    assert.deepEqual(
      (await numbers(source)).filter((event) => !now.has(event)),
      [],
    );
  });

  test('keeps its closed project closed', async () => {
    const { workspaceId, projectId } = tenant.scope;
    await eventually(async () => {
      assert.equal(await isClosed(target.system, { workspaceId, projectId: closedProject }), true);
    });
    assert.equal(await isClosed(target.system, { workspaceId, projectId }), false);
  });

  test('is in the logs of both installations', async () => {
    for (const [latchkey, type] of [
      [source, 'workspace.exported'],
      [target, 'workspace.imported'],
    ] as const) {
      // biome-ignore lint/performance/noAwaitInLoops: one after the other
      const { rows } = await latchkey.system.pool.query(
        `select workspace_id from events where type = $1 and data ->> 'workspaceId' = $2 order by workspace_id = $2`,
        [type, tenant.scope.workspaceId],
      );
      assert.equal(rows.length, 2);
      assert.equal(rows[1].workspace_id, tenant.scope.workspaceId);
    }
  });

  test('is not imported twice', async () => {
    const { status, errors } = await installations.command(target, 'import', file, '--owner', tenant.operator);
    assert.equal(status, 1, errors);
    assert.match(errors, /is in this installation already\. Nothing was imported/);
  });

  test('can be opened again where it came from', async () => {
    assert.match((await installations.command(source, 'reopen', tenant.scope.workspaceId)).output, /is served again/);
    const { status } = await source.auth('/v1/auth/login/password', {
      body: { ...inTenant(), identifier: acknowledged[0], password: PASSWORD },
    });
    assert.equal(status, 200);
    const again = await installations.command(source, 'reopen', tenant.scope.workspaceId);
    assert.equal(again.status, 1);
    assert.match(again.errors, /No deletion is scheduled/);
  });
});

describe('a workspace that moves with its addresses', () => {
  test('keeps its refresh tokens and subjects of OpenID Connect, its passkeys and its NameIDs', async () => {
    const { addresses } = source.system.config;
    const { auth } = addresses.test;
    const person = await register(source);
    // Before the sign-in in the browser: a new passkey ends the other sessions.
    const authenticator = softwareAuthenticator(auth);
    const { access_token: token } = person;
    const begun = await source.api('/v1/me/security/passkeys/options', { token, body: {} });
    const response = authenticator.create(begun.body.options);
    const body = { flowId: begun.body.flowId, response };
    assert.equal((await source.api('/v1/me/security/passkeys', { token, body })).status, 201);
    const browser = browserOf(source);
    const { clientId } = await newApplication(source, {
      kind: 'spa',
      subjectType: 'pairwise',
      firstParty: true,
    });
    const flow = await codeFlow(source, {}, { clientId });
    const tokens = await flow.finish(await signInOn(source, flow, person, browser));
    const subject = tokens.claims()?.sub;
    const service = await newServiceProvider(source);
    const nameId = async () => {
      const { page, id } = await signInAtProvider(target, service, { person, browser });
      return (await readAt(service, page, { requestId: id })).nameId;
    };
    const named = await nameId();
    const { workspaceId, projects } = source.demo;
    const file = await installations.exported({ workspaceId });
    const { email } = await newOperator(target);
    const { status, errors } = await installations.command(target, 'import', file, '--owner', email);
    assert.equal(status, 0, errors);
    await installations.stopSource();
    const moved = await startSecondProcess(target, {
      LATCHKEY_PORT_BASE: new URL(addresses.console).port,
      LATCHKEY_CONSOLE_URL: addresses.console,
      LATCHKEY_TEST_AUTH_URL: auth,
      LATCHKEY_TEST_API_URL: addresses.test.api,
      LATCHKEY_PRODUCTION_AUTH_URL: addresses.production.auth,
      LATCHKEY_PRODUCTION_API_URL: addresses.production.api,
    });
    try {
      const refreshed = await refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
      assert.deepEqual([refreshed.claims()?.sub, await nameId()], [subject, named]);
      const post = async (path: string, sent: unknown) => {
        const response = await fetch(auth + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(sent),
        });
        assert.equal(response.status, 200);
        return Object(await response.json());
      };
      const project = { workspaceId, projectId: projects[0]?.id };
      const { flowId, options } = await post('/v1/auth/login/passkey/options', project);
      const proof = { ...project, flowId, response: authenticator.get(options) };
      const { session } = await post('/v1/auth/login/passkey/verify', proof);
      assert.equal(session.userId, person.session.userId);
    } finally {
      await moved.stop();
    }
  });
});
