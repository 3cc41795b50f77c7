import { generateKeyPair, hash } from 'node:crypto';
import { promisify } from 'node:util';
import Provider, { type Interaction, interactionPolicy } from 'oidc-provider';
import { createProvider } from '#identity-providers';
import { recordsFor } from '#oidc';
import type { TxCtx } from '#platform/ctx.ts';
import { perSystem, type System } from '#platform/system.ts';

/** The path of the provider on the console host. */
export const DEV_PROVIDER_PATH = '/dev/provider';
/** Not confidential: the provider signs anyone in under any address, in development mode only. */
const DEV_CLIENT = { id: 'latchkey-dev', secret: 'latchkey-dev-secret' };

/** The identity that a visitor entered. */
type DevProfile = { email: string; name: string; emailVerified: boolean };

/** An OpenID provider that asks for a name instead of a password, so that social sign-in can be tried offline. */
export type DevProvider = { provider: Provider; profiles: Map<string, DevProfile> };

const generate = promisify(generateKeyPair);

export const devProvider = perSystem((system) => makeProvider(system));

async function makeProvider(system: System): Promise<DevProvider> {
  const issuer = system.config.addresses.console + DEV_PROVIDER_PATH;
  const profiles = new Map<string, DevProfile>();
  const { privateKey } = await generate('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    adapter: recordsFor(system, issuer),
    clients: [
      {
        client_id: DEV_CLIENT.id,
        client_secret: DEV_CLIENT.secret,
        token_endpoint_auth_method: 'client_secret_post',
        redirect_uris: ['http://localhost/any'],
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: {
      keys: [system.keyring.tag(issuer, 'oidc-cookies').toString('base64url')],
      names: {
        session: 'latchkey-dev-session',
        interaction: 'latchkey-dev-interaction',
        resume: 'latchkey-dev-resume',
      },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { policy: askEveryTime(), url: (_ctx, interaction) => signInPath(interaction) },
    findAccount: (_ctx, sub) => {
      const profile = profiles.get(sub);
      if (!profile) return undefined;
      const { email, name, emailVerified } = profile;
      return { accountId: sub, claims: () => ({ sub, email, name, email_verified: emailVerified }) };
    },
    loadExistingGrant: async (ctx) => {
      const grant = new ctx.oidc.provider.Grant({
        ...(ctx.oidc.client && { clientId: ctx.oidc.client.clientId }),
        ...(ctx.oidc.account && { accountId: ctx.oidc.account.accountId }),
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  provider.proxy = true;
  provider.Client.prototype.redirectUriAllowed = () => true;
  return { provider, profiles };
}

function signInPath({ uid }: Interaction): string {
  return `${DEV_PROVIDER_PATH}/sign-in/${uid}`;
}

/** Always asks for the identity, so that developers can sign in as several people. */
function askEveryTime() {
  const { Check, base } = interactionPolicy;
  const policy = base();
  policy
    .get('login')
    ?.checks.add(
      new Check('always', 'Who are you this time?', (ctx) =>
        ctx.oidc.result?.login ? Check.NO_NEED_TO_PROMPT : Check.REQUEST_PROMPT,
      ),
    );
  return policy;
}

/** The subject of an address: the same address is always the same account. */
export function subjectOf(email: string): string {
  return `dev-${hash('sha256', email.toLowerCase(), 'hex').slice(0, 24)}`;
}

/** Adds the provider to a project, for the demo. */
export async function addDevProvider(tx: TxCtx): Promise<void> {
  await createProvider(tx, {
    key: 'dev',
    preset: 'oidc',
    name: 'Dev provider',
    clientId: DEV_CLIENT.id,
    clientSecret: DEV_CLIENT.secret,
    options: { issuer: tx.system.config.addresses.console + DEV_PROVIDER_PATH },
  });
}
