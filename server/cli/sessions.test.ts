import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runLatchkey } from '#tests/command-line.ts';
import {
  eventsOf,
  eventually,
  expectProblem,
  managementToken,
  PASSWORD,
  register,
  startTestLatchkey,
  type TestLatchkey,
} from '#tests/harness.ts';
import { actAs, addSupportDesk, newSupporter } from '#tests/impersonation.ts';

const SECRET = 'the secret of this test installation';

let latchkey: TestLatchkey;
let folder: string;
before(async () => {
  latchkey = await startTestLatchkey({ settings: { LATCHKEY_SECRET: SECRET, LATCHKEY_ROLES: 'auth,api' } });
  folder = await mkdtemp(join(tmpdir(), 'latchkey-sessions-'));
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (...words: string[]) =>
  runLatchkey(['sessions', 'end-all', ...words], {
    DATABASE_URL: latchkey.system.databaseUrl,
    LATCHKEY_SECRET: SECRET,
    LATCHKEY_DATA_DIR: folder,
  });

test('"sessions end-all" ends what a running server issued: access tokens, refresh tokens and management tokens', async () => {
  const person = await register(latchkey);
  const management = await managementToken(latchkey);
  const refused = await run();
  assert.equal(refused.status, 2, 'without --yes it does nothing');
  assert.equal((await latchkey.api('/v1/me/context', { token: person.access_token })).status, 200);

  const { status, output, errors } = await run('--yes', '--json');
  assert.equal(status, 0, errors);
  assert.ok(JSON.parse(output).ended >= 1, output);
  await eventually(async () => {
    const response = await latchkey.api('/v1/me/context', { token: person.access_token });
    assert.equal(response.status, 401, response.text);
  });
  assert.equal((await latchkey.api('/v1/admin/roles', { token: management })).status, 401);
  const refreshed = await latchkey.auth('/v1/sessions/refresh', { body: { refresh_token: person.refresh_token } });
  expectProblem(refreshed, 401, 'AUTHENTICATION_REQUIRED');

  const again = await latchkey.auth('/v1/auth/login/password', {
    body: { identifier: person.email, password: PASSWORD },
  });
  assert.equal((await latchkey.api('/v1/me/context', { token: again.body.access_token })).status, 200);
  const renewed = await managementToken(latchkey);
  assert.equal((await latchkey.api('/v1/admin/roles', { token: renewed })).status, 200);
});

test('"sessions end-all" ends impersonations, with an event', async () => {
  const [desk, supporter, person] = [
    await addSupportDesk(latchkey),
    await newSupporter(latchkey),
    await register(latchkey),
  ];
  await actAs(latchkey, desk, { supporter, person });
  const { status, errors } = await run('--yes');
  assert.equal(status, 0, errors);
  const events = await eventsOf(latchkey, person.session.userId);
  assert.equal(events.filter((type) => type === 'user.impersonation.ended').length, 1);
});
