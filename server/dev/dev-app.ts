import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from 'openid-client';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Environment } from '#platform/ctx.ts';
import { guardedFetch } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';

/** The path of the demo application of development mode, on the console host. */
export const DEV_APP = '/dev/app';
export const DEV_APP_CALLBACK = `${DEV_APP}/callback`;

const DemoEnvironment = Type.Object({
  clientId: Type.String(),
  organizations: Type.Optional(Type.Array(Type.Object({ name: Type.String(), slug: Type.String() }))),
});
const DemoFile = Type.Object({
  environments: Type.Object({
    test: DemoEnvironment,
    production: DemoEnvironment,
  }),
});

async function readDemo({ config }: System): Promise<Static<typeof DemoFile>> {
  return Value.Parse(DemoFile, JSON.parse(await readFile(join(config.dataDir, 'demo.json'), 'utf8')));
}

/** The organizations of the demo's test environment; none where the first start made none. */
export async function demoOrganizations(system: System): Promise<{ name: string; slug: string }[]> {
  const demo = await readDemo(system).catch(() => null);
  return demo?.environments.test.organizations ?? [];
}

/** What the application stores in a cookie while the browser is away. */
const Away = Type.Object({
  environment: Type.Enum(['test', 'production']),
  verifier: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
});
type Away = Static<typeof Away>;

const SEALED = 'dev-app';

async function configurationOf(system: System, environment: Environment): Promise<client.Configuration> {
  const { clientId } = (await readDemo(system)).environments[environment];
  return client.discovery(new URL(system.config.addresses[environment].auth), clientId, undefined, client.None(), {
    [client.customFetch]: guardedFetch(system),
    execute: [client.allowInsecureRequests],
  });
}

function callback(system: System): string {
  return system.config.addresses.console + DEV_APP_CALLBACK;
}

/**
 * Starts a sign-in as any application does.
 * @returns the next address for the browser, and the cookie value for its return
 */
export async function beginSignIn(
  system: System,
  { environment, organization }: { environment: Environment; organization?: string },
): Promise<{ url: string; kept: string }> {
  const away: Away = {
    environment,
    verifier: client.randomPKCECodeVerifier(),
    state: client.randomState(),
    nonce: client.randomNonce(),
  };
  const url = client.buildAuthorizationUrl(await configurationOf(system, environment), {
    redirect_uri: callback(system),
    scope: 'openid profile email phone roles permissions',
    ...(organization !== undefined && { organization }),
    code_challenge: await client.calculatePKCECodeChallenge(away.verifier),
    code_challenge_method: 'S256',
    state: away.state,
    nonce: away.nonce,
  });
  return { url: url.href, kept: system.keyring.seal(JSON.stringify(away), SEALED, 'cookie') };
}

/** The visitor who signed in, as the application sees them. */
export type Visitor = { claims: Record<string, unknown>; signOut: string };

/**
 * Exchanges the code that the browser returned with.
 * @throws Error of `openid-client` that names the failed check
 */
export async function finishSignIn(system: System, query: string, kept: string): Promise<Visitor> {
  const away = Value.Parse(Away, JSON.parse(system.keyring.open(kept, SEALED, 'cookie')));
  const configuration = await configurationOf(system, away.environment);
  const tokens = await client.authorizationCodeGrant(configuration, new URL(callback(system) + query), {
    pkceCodeVerifier: away.verifier,
    expectedState: away.state,
    expectedNonce: away.nonce,
  });
  const signOut = client.buildEndSessionUrl(configuration, {
    id_token_hint: tokens.id_token ?? '',
    post_logout_redirect_uri: `${system.config.addresses.console}/`,
  });
  const subject = tokens.claims()?.sub ?? client.skipSubjectCheck;
  const info = await client.fetchUserInfo(configuration, tokens.access_token, subject);
  return { claims: { ...tokens.claims(), ...info }, signOut: signOut.href };
}
