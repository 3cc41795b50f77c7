import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { checkSecret, findApplication } from '#applications';
import { signingKeys } from '#keys';
import type { Environment } from '#platform/ctx.ts';
import { perSystem, type System } from '#platform/system.ts';
import { adapterFor } from './adapter.ts';
import { apiResource, MANAGEMENT_TOKEN_SECONDS, scopeClaims } from './management-tokens.ts';

/** The provider of an environment's own issuer; made at first use and again when its keys change. */
export function providerOf(system: System, environment: Environment): Promise<Provider> {
  return providers(system).get(environment);
}

class ProviderCache {
  readonly #system: System;
  readonly #made = new Map<Environment, Promise<Provider>>();

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.#made.clear(),
        onChange: ({ topic }) => {
          if (topic === 'signing-keys') this.#made.clear();
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'provider cache'));
  }

  get(environment: Environment): Promise<Provider> {
    const known = this.#made.get(environment);
    if (known) return known;
    const making = makeProvider(this.#system, environment);
    this.#made.set(environment, making);
    making.catch(() => this.#made.delete(environment));
    return making;
  }
}

const providers = perSystem((system) => new ProviderCache(system));

async function makeProvider(system: System, environment: Environment): Promise<Provider> {
  const issuer = system.config.addresses[environment].auth;
  const provider = new Provider(issuer, await configuration(system, environment, issuer));
  // Addresses in answers are the issuer's, whatever the request came through: the bridge sets the forwarded headers itself.
  provider.proxy = true;
  provider.Client.prototype.compareClientSecret = async function compare(this: { clientId: string }, actual: string) {
    const application = await findApplication(system, environment, this.clientId);
    return application !== undefined && checkSecret(application, actual);
  };
  provider.on('server_error', (_ctx: KoaContextWithOIDC, error: Error) => system.log.error({ err: error }, 'OIDC provider'));
  return provider;
}

async function configuration(system: System, environment: Environment, issuer: string): Promise<Configuration> {
  const keys = await signingKeys(system, environment).all();
  return {
    adapter: adapterFor(system, environment, issuer),
    jwks: { keys: keys.map(({ privateJwk }) => ({ ...privateJwk })) },
    cookies: { keys: [system.keyring.tag(issuer, 'oidc-cookies').toString('base64url')] },
    routes: ROUTES,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    scopes: ['openid'],
    pkce: { required: () => true },
    ttl: { ClientCredentials: MANAGEMENT_TOKEN_SECONDS },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => system.config.addresses[environment].api,
        getResourceServerInfo: (ctx) => apiResource(system, environment, ctx),
      },
    },
    extraTokenClaims: (_ctx, token) => scopeClaims(system, environment, token.clientId ?? ''),
  };
}

const ROUTES = {
  authorization: '/connect/authorize',
  code_verification: '/connect/device',
  device_authorization: '/connect/device_authorization',
  end_session: '/connect/logout',
  introspection: '/connect/introspect',
  jwks: '/connect/jwks',
  pushed_authorization_request: '/connect/par',
  registration: '/connect/register',
  revocation: '/connect/revoke',
  token: '/connect/token',
  userinfo: '/connect/userinfo',
};
