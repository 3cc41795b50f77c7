import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { signingKeys } from '#keys';
import type { Environment } from '#platform/ctx.ts';
import { isDatabaseAway } from '#platform/db.ts';
import { perSystem, type System } from '#platform/system.ts';
import { adapterFor } from './adapter.ts';
import { applicationOf, useApplications } from './clients.ts';
import { Documents } from './documents.ts';
import { apiResource, describeToken, MANAGEMENT_TOKEN_SECONDS } from './management-tokens.ts';
import { inSigningOrder, nextKeyFrom, ProviderKey } from './signing.ts';

/** The provider of one issuer, ready to answer. */
export type Issuer = {
  answer: ReturnType<Provider['callback']>;
  documents: Documents;
  /** Milliseconds since the epoch; from then on another key signs. */
  goodUntil: number;
};

/** The provider of an environment's own issuer; made at first use and again when its keys change. */
export function issuerOf(system: System, environment: Environment): Issuer | Promise<Issuer> {
  return issuers(system).get(environment);
}

class IssuerCache {
  readonly #system: System;
  readonly #made = new Map<Environment, Issuer>();
  readonly #making = new Map<Environment, Promise<Issuer>>();

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.#forget(),
        onChange: ({ topic }) => {
          if (topic === 'signing-keys') this.#forget();
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'provider cache'));
  }

  get(environment: Environment): Issuer | Promise<Issuer> {
    const made = this.#made.get(environment);
    if (made && this.#system.clock.now().getTime() < made.goodUntil) return made;
    const known = this.#making.get(environment);
    if (known !== undefined) return known;
    const making = makeIssuer(this.#system, environment)
      .then((issuer) => {
        // One that was begun before the keys changed is used by those who wait for it, and by nobody after them.
        if (this.#making.get(environment) === making) this.#made.set(environment, issuer);
        return issuer;
      })
      .finally(() => {
        if (this.#making.get(environment) === making) this.#making.delete(environment);
      });
    this.#making.set(environment, making);
    return making;
  }

  #forget(): void {
    this.#made.clear();
    this.#making.clear();
  }
}

const issuers = perSystem((system) => new IssuerCache(system));

async function makeIssuer(system: System, environment: Environment): Promise<Issuer> {
  const keySet = signingKeys(system, environment);
  // Told of the same change as we were, it may not have read the new keys yet.
  await keySet.reload();
  const now = system.clock.now();
  const keys = await keySet.all();
  const address = system.config.addresses[environment].auth;
  const provider = new Provider(address, {
    ...configuration(system, environment, address),
    jwks: { keys: inSigningOrder(keys, now).map((key) => new ProviderKey(key)) },
  });
  // Addresses in answers are the issuer's, whatever the request came through: the bridge sets the forwarded headers itself.
  provider.proxy = true;
  useApplications(provider, system, environment);
  const documents = new Documents();
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.method !== 'POST') documents.keep(ctx);
    // A failed client authentication always says how to do it (RFC 9110 §15.5.2), also when the secret came in the body.
    else if (ctx.status === 401 && !ctx.response.get('www-authenticate'))
      ctx.set('www-authenticate', `Basic realm="${address}"`);
  });
  provider.on('server_error', (ctx, error) => answerFault(system, ctx, error));
  return { answer: provider.callback(), documents, goodUntil: nextKeyFrom(keys, now) };
}

function answerFault(system: System, ctx: KoaContextWithOIDC, error: Error): void {
  if (!isDatabaseAway(error)) {
    system.log.error({ err: error }, 'OIDC provider');
    return;
  }
  ctx.status = 503;
  ctx.set('retry-after', '1');
  ctx.body = {
    error: 'temporarily_unavailable',
    error_description: 'the service can not answer right now; try again shortly',
  };
}

/** Only what works is switched on, and so announced: sign-in through the browser comes with the hosted pages. */
function configuration(system: System, environment: Environment, issuer: string): Configuration {
  return {
    adapter: adapterFor(system, environment, issuer),
    cookies: { keys: [system.keyring.tag(issuer, 'oidc-cookies').toString('base64url')] },
    routes: ROUTES,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientBasedCORS: (_ctx, origin, client) => applicationOf(client).origins.includes(origin),
    responseTypes: [],
    scopes: ['openid'],
    pkce: { required: () => true },
    ttl: { ClientCredentials: MANAGEMENT_TOKEN_SECONDS },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      // Keys that sign by themselves. The version is stated so that an update that changes them fails at start.
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      dPoP: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => system.config.addresses[environment].api,
        getResourceServerInfo: (ctx, resource) => apiResource(system, ctx, resource),
      },
    },
    formats: { customizers: { jwt: (_ctx, token, jwt) => describeToken(system, token, jwt) } },
    renderError: (ctx, out) => {
      ctx.body = out;
    },
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
