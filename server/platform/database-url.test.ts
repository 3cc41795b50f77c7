import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { exposureOf, faultOfDatabaseUrl, hostsOf, serversOf } from './database-url.ts';

const base = 'postgres://me:p%40ss@db.example.com/latchkey';

describe('the address of a database', () => {
  test('names one server or several, each with its port', () => {
    const several =
      'postgres://me:p%40ss@one:5432,two:5433,[::1]/latchkey?target_session_attrs=read-write&application_name=x';
    assert.equal(faultOfDatabaseUrl(several), null);
    assert.deepEqual(
      serversOf(several),
      ['one:5432', 'two:5433', '[::1]'].map((host) => `postgres://me:p%40ss@${host}/latchkey?application_name=x`),
    );
    assert.equal(hostsOf(several), 'one:5432,two:5433,[::1]');
    assert.equal(faultOfDatabaseUrl('postgresql:///latchkey?host=/run/postgresql'), null);
  });

  for (const [url, fault] of [
    ['postgres://user@/x', /such as postgres:/],
    ['postgres://one,/x', /several servers/],
    ['postgres://one:x,two/x', /several servers/],
    ['mysql://db/x', /such as postgres:/],
    [`${base}?target_session_attrs=standby`, /read-write or primary/],
    [`${base}?sslmode=prefer`, /falls back to plain text/],
    [`${base}?sslmode=allow`, /falls back to plain text/],
    [`${base}?sslmode=no-verify`, /disable, require, verify-ca, verify-full/],
    [`${base}?sslmode=verify-ca`, /sslrootcert/],
    [`${base}?sslmode=verify-ca&sslrootcert=system`, /sslrootcert/],
    [`${base}?sslrootcert=/ca.pem`, /set sslmode=verify-full/],
    [`${base}?sslmode=require&sslrootcert=system`, /sslmode=verify-full/],
    [`${base}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, /sslrootcert to name a file that can be read/],
  ] as const)
    test(`is refused: ${url}`, () => assert.match(faultOfDatabaseUrl(url) ?? 'accepted', fault));

  test('distinguishes plain text to another machine from what the network cannot read', () => {
    const exposed = [
      base,
      `${base}?sslmode=disable`,
      'postgres://127.0.0.1,db.example.com/x',
      `${base}?sslmode=require`,
    ];
    const safe = [
      'postgres://localhost/x',
      'postgres://127.0.0.2/x',
      'postgres://[::1]/x',
      'postgres:///x?host=/run/postgresql',
      `${base}?sslmode=verify-full`,
      `${base}?sslmode=verify-full&sslrootcert=system`,
      `${base}?sslmode=verify-ca&sslrootcert=/ca.pem`,
      `${base}?sslmode=require&sslrootcert=/ca.pem`,
    ];
    assert.deepEqual(
      exposed.map((url) => exposureOf(url) !== null),
      exposed.map(() => true),
    );
    assert.deepEqual(
      safe.filter((url) => exposureOf(url) !== null),
      [],
    );
    assert.match(exposureOf(`${base}?sslmode=require`) ?? '', /does not prove/);
  });
});
