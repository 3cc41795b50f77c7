import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createProvider } from '#identity-providers';
import { type Ran, runLatchkey } from '#tests/command-line.ts';
import { ownerToken, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const SAMPLES = resolve(import.meta.dirname, '../other-systems/samples');
/** Of the people in the samples. */
const OLD_PASSWORD = 'correct horse battery staple';

let latchkey: TestLatchkey;
let folder: string;
let token: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-transfer-'));
  latchkey = await startTestLatchkey();
  token = await ownerToken(latchkey);
  await latchkey.inProject(async (tx) => {
    await createProvider(tx, { key: 'google', preset: 'google', clientId: 'shop', clientSecret: 'secret' });
    await createProvider(tx, { key: 'github', preset: 'github', clientId: 'shop', clientSecret: 'secret' });
  });
  const role = { key: 'editor', name: 'Editor', permissions: [] };
  const made = await latchkey.api('/v1/admin/roles', { token, body: role });
  assert.equal(made.status, 201, made.text);
});
after(async () => {
  await latchkey.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs `latchkey import --from` on samples, or files elsewhere. */
function transfer(system: string, files: readonly string[], ...options: string[]): Promise<Ran> {
  const settings = {
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_DATA_DIR: folder,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
  };
  const paths = files.map((file) => resolve(SAMPLES, file));
  return runLatchkey(['import', '--from', system, ...paths, ...options], settings);
}

async function transferred(system: string, files: readonly string[], ...options: string[]) {
  const { status, output, errors } = await transfer(system, files, '--yes', '--json', ...options);
  assert.equal(status, 0, errors + output);
  return JSON.parse(output);
}

const signIn = async (identifier: string, password = OLD_PASSWORD) =>
  (await latchkey.auth('/v1/auth/login/password', { body: { identifier, password } })).status;

async function exported(email: string): Promise<Record<string, unknown>> {
  const { text } = await latchkey.api('/v1/admin/members/export', { token });
  const rows = text.split('\n').filter((line) => line !== '');
  return rows.map((line) => JSON.parse(line)).find((row) => row.email === email);
}
describe('latchkey export --to', () => {
  const settings = () => ({
    DATABASE_URL: latchkey.databaseUrl,
    LATCHKEY_DATA_DIR: folder,
    LATCHKEY_SECRET: 'a secret of the tests that is long enough',
  });
  const written = async (system: string) => {
    const { status, output, errors } = await runLatchkey(['export', '--to', system], settings());
    assert.equal(status, 0, errors);
    return output;
  };

  test('keycloak: what it would import comes back the same, with hash and links', async () => {
    await transferred('keycloak', ['keycloak-realm.json']);
    const { users } = JSON.parse(await written('keycloak'));
    const byEmail = (email: string) => users.find((user: Record<string, unknown>) => user['email'] === email);
    const realm = JSON.parse(await readFile(join(SAMPLES, 'keycloak-realm.json'), 'utf8'));
    for (const { email, credentials } of realm.users.slice(0, 2)) {
      const [{ type, secretData, credentialData }] = byEmail(email).credentials;
      assert.equal(type, 'password');
      const read = (text: string) => JSON.parse(text);
      assert.deepEqual(read(secretData), read(credentials[0].secretData), email);
      assert.deepEqual(read(credentialData), read(credentials[0].credentialData), email);
    }
    assert.equal(byEmail('edsger@keycloak.example').enabled, false);
    assert.equal(byEmail('ada@keycloak.example').federatedIdentities[0].userId, '115015401343387192605');
    const file = join(folder, 'back.json');
    await writeFile(file, JSON.stringify({ users }));
    const { report } = await transferred('keycloak', [file], '--report-only');
    assert.deepEqual([report.people, report.rejected], [users.length, 0]);
  });

  test('auth0: an array with hashes in PHC form; cognito: the columns of its file', async () => {
    const people = JSON.parse(await written('auth0'));
    const grace = people.find(({ email }: { email?: string }) => email === 'grace@keycloak.example');
    assert.deepEqual(grace.custom_password_hash.algorithm, 'argon2');
    assert.match(grace.custom_password_hash.hash.value, /^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
    const [header = '', ...lines] = (await written('cognito')).trim().split('\n');
    assert.match(header, /^cognito:username,name,given_name,.*,cognito:mfa_enabled$/);
    assert.equal(lines.length, people.length);
    assert.ok(lines.every((line) => line.split(/(?<!\\),/).length === header.split(',').length));
    const { errors } = await runLatchkey(['export', '--to', 'nowhere'], settings());
    assert.match(errors, /There is no system "nowhere"; expected auth0, keycloak, cognito\./);
  });
});

describe('latchkey import --from', () => {
  /** Per system: the files, and what the report and the import say about them. */
  const SYSTEMS: Record<
    string,
    { files: string[]; people: number; passwords: Record<string, number>; old?: string[] }
  > = {
    auth0: {
      files: ['auth0-users.ndjson', 'auth0-hashes.ndjson'],
      people: 5,
      passwords: { bcrypt: 2, none: 3 },
      old: ['ada@auth0.example'],
    },
    keycloak: {
      files: ['keycloak-realm.json'],
      people: 3,
      passwords: { 'pbkdf2-sha256': 1, argon2id: 1, none: 1 },
      old: ['ada@keycloak.example', 'grace@keycloak.example', '+4930901821'],
    },
    cognito: { files: ['cognito-users.csv', 'cognito-list-users.json'], people: 3, passwords: { none: 3 } },
    supabase: {
      files: ['supabase-identities.ndjson', 'supabase-users.csv'],
      people: 3,
      passwords: { bcrypt: 1, none: 2 },
      old: ['ada@supabase.example'],
    },
    okta: { files: ['okta-users.json'], people: 2, passwords: { none: 2 } },
    logto: {
      files: ['logto-users.ndjson'],
      people: 3,
      passwords: { argon2i: 1, sha256: 1, none: 1 },
      old: ['ada@logto.example', 'ada_logto', 'grace@logto.example'],
    },
    'better-auth': {
      files: ['better-auth-users.ndjson'],
      people: 2,
      passwords: { scrypt: 1, none: 1 },
      old: ['ada@better.example'],
    },
    'auth-js': { files: ['auth-js-accounts.json', 'auth-js-users.json'], people: 2, passwords: { none: 2 } },
  };
  for (const [system, { files, people, passwords, old = [] }] of Object.entries(SYSTEMS))
    test(`${system}: a report comes first, then people sign in with their old passwords`, async () => {
      const { report, import: done } = await transferred(system, files);
      assert.deepEqual([report.people, report.passwords, report.rejected], [people, passwords, 0]);
      assert.deepEqual([done.rows, done.failed], [people, 0]);
      for (const identifier of old) {
        // biome-ignore lint/performance/noAwaitInLoops: one after the other
        assert.equal(await signIn(identifier), 200, identifier);
      }
      const again = await transferred(system, files);
      assert.deepEqual([again.import.unchanged, again.import.failed], [people, 0], 'people are imported once');
    });

  test('auth0: accounts at providers, data and the old id come along; what does not is named', async () => {
    const { report } = await transferred('auth0', ['auth0-users.ndjson', 'auth0-hashes.ndjson']);
    assert.deepEqual(report.lost, { 'second factors': 1, 'accounts at enterprise connections': 1 });
    assert.deepEqual(report.addresses, { email: 4, emailVerified: 3, phone: 1, phoneVerified: 1, username: 0 });
    const {
      userId: _user,
      memberId: _member,
      joinedAt: _joined,
      lastSeenAt: _seen,
      ...row
    } = await exported('ada@auth0.example');
    assert.deepEqual(row, {
      email: 'ada@auth0.example',
      emailVerified: true,
      displayName: 'Ada Lovelace',
      givenName: 'Ada',
      familyName: 'Lovelace',
      nickname: 'ada',
      picture: 'https://s.gravatar.com/avatar/ada.png',
      status: 'active',
      roles: [],
      metadata: { plan: 'gold', auth0Id: 'auth0|60425dc43519d90068f82973' },
      customData: { colour: 'green' },
      createdAt: '2021-03-05T16:35:16.775Z',
      linkedIdentities: [
        {
          provider: 'google',
          issuer: 'https://accounts.google.com',
          subject: '115015401343387192604',
          email: 'ada@gmail.example',
        },
      ],
    });
    assert.equal(await signIn('euclid@auth0.example'), 403, 'who was blocked there is blocked here');
  });

  test('firebase: the parameters of the hashes come in a file; without it, the report says so', async () => {
    const only = await transferred('firebase', ['firebase-users.json'], '--report-only');
    assert.equal(only.import, null);
    assert.equal(only.report.lost['passwords: give the file with the hash parameters, too'], 1);
    const { report } = await transferred('firebase', ['firebase-users.json', 'firebase-hash-config.txt']);
    assert.deepEqual(report.passwords, { 'firebase-scrypt': 1, none: 1 });
    assert.deepEqual(report.skipped, { 'anonymous accounts': 1 });
    assert.deepEqual(
      report.links.map(({ theirs, state }: Record<string, string>) => [theirs, state]),
      [
        ['google.com', 'linked'],
        ['microsoft.com', 'not comparable'],
      ],
    );
    assert.equal(await signIn('ada@firebase.example', 'user1password'), 200);
  });

  test('a role elsewhere is none of the built-in ones here unless the command says so', async () => {
    const asked = async (...roles: string[]) => {
      const options = roles.length > 0 ? ['--role', ...roles] : [];
      const { report } = await transferred('keycloak', ['keycloak-realm.json'], '--report-only', ...options);
      return Object.fromEntries(report.roles.map(({ theirs, role }: Record<string, string>) => [theirs, role]));
    };
    assert.deepEqual(await asked(), { editor: 'editor', 'shop/buyer': null, admin: null });
    const named = await asked('shop/buyer=viewer', 'admin=editor');
    assert.deepEqual(named, { editor: 'editor', 'shop/buyer': 'viewer', admin: 'editor' });
    assert.deepEqual((await exported('ada@keycloak.example'))['roles'], ['editor']);
    const { errors } = await transfer('keycloak', ['keycloak-realm.json'], '--yes', '--role', 'admin=emperor');
    assert.match(errors, /There is no role "emperor" in the project\./);
  });

  test('a provider that the project has not is named in the report, and may have another key', async () => {
    const other = join(folder, 'other.ndjson');
    const identities = [{ provider: 'oidc', connection: 'partner', user_id: 'p1', isSocial: true }];
    await writeFile(other, JSON.stringify({ user_id: 'oidc|partner|p1', email: 'p1@auth0.example', identities }));
    const read = async (...options: string[]) =>
      (await transferred('auth0', [other], '--report-only', ...options)).report.links;
    assert.deepEqual(await read(), [{ theirs: 'partner', provider: 'partner', state: 'missing', people: 1 }]);
    assert.deepEqual(await read('--provider', 'partner=github'), [
      { theirs: 'partner', provider: 'github', state: 'linked', people: 1 },
    ]);
  });

  test('nothing is written before the report was read', async () => {
    const file = join(folder, 'fresh.ndjson');
    const people = [
      {
        user_id: 'auth0|1',
        email: 'fresh@auth0.example',
        username: 'no name at all!',
        picture: 'x',
        phone_number: '12',
      },
      { user_id: 'auth0|2', email: 'FRESH@auth0.example' },
      { user_id: 'auth0|3', email: 'nonsense' },
    ];
    await writeFile(file, people.map((person) => JSON.stringify(person)).join('\n'));
    const { status, output, errors } = await transfer('auth0', [file]);
    assert.equal(status, 1);
    assert.match(errors, /Read the report, then add --yes to import these people\./);
    assert.equal(await exported('fresh@auth0.example'), undefined);
    assert.match(output, /^People from Auth0: 2\n/);
    assert.match(output, /auth0\|3: \/email is not an email address/);
    assert.match(output, /With an address or name of an earlier person: 1\./);
    assert.match(output, /phone in another form: 1\n {2}username in another form: 1\n {2}picture in another form: 1/);
    const dry = await transferred('auth0', [file], '--dry-run');
    assert.deepEqual([dry.import.dryRun, dry.import.created], [true, 1]);
    assert.equal(await exported('fresh@auth0.example'), undefined);
  });

  test('files may be compressed, begin with a byte order mark, be one line, or be an array of realms', async () => {
    const realm = await readFile(join(SAMPLES, 'keycloak-realm.json'), 'utf8');
    const forms = {
      'a.json.gz': gzipSync(realm),
      'b.json': `\uFEFF${realm}`,
      'c.json': JSON.stringify(JSON.parse(realm)),
      'd.json': `[${realm}]`,
    };
    const counts = await Promise.all(
      Object.entries(forms).map(async ([name, text]) => {
        await writeFile(join(folder, name), text);
        return name;
      }),
    );
    for (const name of counts) {
      // biome-ignore lint/performance/noAwaitInLoops: one command at a time
      const { report } = await transferred('keycloak', [join(folder, name)], '--report-only');
      assert.equal(report.people, 3, name);
    }
  });

  test('faults are explained', async () => {
    const broken = join(folder, 'broken.json');
    await writeFile(broken, '[{"id": "1", "email": ');
    const cases = [
      { words: ['nowhere', 'okta-users.json'], said: /There is no system "nowhere"; expected auth0, keycloak/ },
      { words: ['okta', 'absent.json'], said: /absent\.json cannot be read \(ENOENT\)\./ },
      { words: ['okta', broken], said: /broken\.json cannot be read: / },
      { words: ['okta', 'supabase-users.csv', '--role', 'x'], said: /"x" is not in the form THEIRS=OURS\./ },
    ];
    for (const {
      words: [system = '', file = '', ...options],
      said,
    } of cases) {
      // biome-ignore lint/performance/noAwaitInLoops: one command at a time
      const { status, errors } = await transfer(system, [file], '--yes', ...options);
      assert.equal(status, 1);
      assert.match(errors, said);
    }
  });
});
