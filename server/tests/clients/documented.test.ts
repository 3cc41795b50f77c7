import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../../..');
const TOOLCHAINS = 'server/tests/clients/toolchains';

/** The client of a row, the file that says which version is tested, and where. */
const VERSIONS = [
  ['openid-client', 'server/package.json', /"openid-client": "([^"]+)"/],
  ['oauth4webapi', 'server/package.json', /"oauth4webapi": "([^"]+)"/],
  ['oidc-client-ts', 'server/package.json', /"oidc-client-ts": "([^"]+)"/],
  ['@auth/core (Auth.js)', 'server/package.json', /"@auth\/core": "([^"]+)"/],
  ['passport-openidconnect', 'server/package.json', /"passport-openidconnect": "([^"]+)"/],
  ['Authlib (Flask)', `${TOOLCHAINS}/authlib/requirements.txt`, /Authlib==(.+)/],
  ['go-oidc with x/oauth2', `${TOOLCHAINS}/go-oidc/go.mod`, /go-oidc\/v3 v(\S+)/],
  ['Spring Boot', `${TOOLCHAINS}/spring/pom.xml`, /spring-boot-starter-parent<\/artifactId>\s*<version>([^<]+)/],
] as const;

test('the documentation names the clients in the versions that are tested', async () => {
  const page = await readFile(join(ROOT, 'docs/openid-connect.md'), 'utf8');
  const [, table = ''] = page.split('## Clients\n');
  const documented = [...table.matchAll(/^\| ([^|]+) \| (\d\S*) \|/gm)].map(([, client, version]) => [client, version]);
  const tested = VERSIONS.map(async ([client, file, pattern]) => [
    client,
    pattern.exec(await readFile(join(ROOT, file), 'utf8'))?.[1],
  ]);
  assert.deepEqual(documented, await Promise.all(tested));
});
