import assert from 'node:assert/strict';
import { createCipheriv, createHash, pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { addMember } from '#members';
import { createUser } from '#people';
import { expectProblem, newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';

const PASSWORD = 'der alte Paßwort-Satz, 21';
const b64 = (bytes: Buffer) => bytes.toString('base64');
const salt = randomBytes(16);

/** Hashes in the formats of other systems, computed from the primitives. */
const hashes: Record<string, string> = {
  scrypt: `$scrypt$ln=14,r=8,p=1$${b64(salt)}$${b64(scryptSync(PASSWORD, salt, 32, { N: 2 ** 14, r: 8, p: 1 }))}`,
  'Firebase scrypt': firebase(),
  'PBKDF2 SHA-256': `$pbkdf2-sha256$29000$${b64(salt)}$${b64(pbkdf2Sync(PASSWORD, salt, 29_000, 32, 'sha256'))}`,
  'PBKDF2 SHA-512 with i=': `$pbkdf2-sha512$i=10000$${b64(salt)}$${b64(pbkdf2Sync(PASSWORD, salt, 10_000, 64, 'sha512'))}`,
  Django: `pbkdf2_sha256$30000$seasalt$${b64(pbkdf2Sync(PASSWORD, 'seasalt', 30_000, 32, 'sha256'))}`,
  'LDAP SSHA': `{SSHA}${b64(salted('sha1'))}`,
  'LDAP SSHA512': `{SSHA512}${b64(salted('sha512'))}`,
  'SHA-256, salt first': `$sha256$salt-first$${b64(salt)}$${b64(createHash('sha256').update(salt).update(PASSWORD).digest())}`,
  'SHA-512, salt last': `$sha512$salt-last$${b64(salt)}$${b64(createHash('sha512').update(PASSWORD).update(salt).digest())}`,
};

function salted(digest: string): Buffer {
  return Buffer.concat([createHash(digest).update(PASSWORD).update(salt).digest(), salt]);
}

function firebase(): string {
  const [signer, separator] = [randomBytes(64), Buffer.from('Bw==', 'base64')];
  const key = scryptSync(PASSWORD, Buffer.concat([salt, separator]), 32, { N: 2 ** 14, r: 8, p: 1, maxmem: 2 ** 26 });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return `$firebase-scrypt$ln=14,r=8,ss=${b64(separator)},sk=${b64(signer)}$${b64(salt)}$${b64(cipher.update(signer))}`;
}

/** Published vectors: the OpenBSD bcrypt test suite, and the reference implementation of Argon2. */
const published: Record<string, { password: string; hash: string }> = {
  'bcrypt $2a$': { password: 'U*U', hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' },
  'bcrypt $2y$': { password: 'U*U', hash: '$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' },
  Argon2i: {
    password: 'password',
    hash: '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  },
  Argon2id: {
    password: 'password',
    hash: '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  },
};

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey({ passwordCost: 'full' });
});
after(() => latchkey.stop());

/**
 * Adds a customer with an imported password hash.
 * @returns the address
 */
async function imported(passwordHash: string): Promise<string> {
  const email = newEmail();
  await latchkey.inProject(async (tx) => {
    await addMember(
      tx,
      await createUser(tx, { address: { kind: 'email', value: email, verified: true }, passwordHash, profile: {} }),
    );
  });
  return email;
}

const login = (identifier: string, password: string) =>
  latchkey.auth('/v1/auth/login/password', { body: { identifier, password } });

async function storedHash(email: string): Promise<string> {
  const { rows } = await latchkey.system.pool.query(
    'select p.hash from passwords p join identifiers i using (workspace_id, environment, user_id) where i.value = $1',
    [email],
  );
  return rows[0].hash;
}

describe('passwords that another system hashed', () => {
  const all = {
    ...published,
    ...Object.fromEntries(Object.entries(hashes).map(([name, hash]) => [name, { password: PASSWORD, hash }])),
  };
  for (const [name, { password, hash }] of Object.entries(all)) {
    test(`PW-8 ${name}: signs in, and the first success replaces the hash`, async () => {
      const email = await imported(hash);
      expectProblem(await login(email, `${password}x`), 401, 'INVALID_CREDENTIALS');
      assert.equal(await storedHash(email), hash);
      assert.equal((await login(email, password)).status, 200);
      assert.match(await storedHash(email), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
      assert.equal((await login(email, password)).status, 200);
      expectProblem(await login(email, `${password}x`), 401, 'INVALID_CREDENTIALS');
    });
  }

  test('PW-2 bcrypt saw 72 bytes; from the first sign-in on every character counts', async () => {
    const { hash } = await import('@node-rs/bcrypt');
    const long = 'x'.repeat(80);
    const email = await imported(await hash(long, { cost: 4 }));
    assert.equal((await login(email, long)).status, 200);
    expectProblem(await login(email, `${'x'.repeat(72)}yyyyyyyy`), 401, 'INVALID_CREDENTIALS');
    assert.equal((await login(email, long)).status, 200);
  });

  for (const broken of [
    '',
    'plain text',
    '$2b$10$short',
    '$scrypt$ln=40,r=8,p=1$c2FsdA==$aGFzaA==',
    '$pbkdf2-sha256$999999999$c2FsdA==$aGFzaA==',
    '$pbkdf2-md5$1$c2FsdA==$aGFzaA==',
    '{SSHA}c2hvcnQ=',
    '$sha256$salt-first$$',
    '$argon2id$v=19$m=1,t=1,p=1$x$y',
  ]) {
    test(`PW-8 a malformed hash lets nobody in and causes no error: ${broken || '(empty)'}`, async () => {
      const email = await imported(broken);
      expectProblem(await login(email, PASSWORD), 401, 'INVALID_CREDENTIALS');
      expectProblem(await login(email, broken || 'x'), 401, 'INVALID_CREDENTIALS');
    });
  }
});
