import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import { signingKeys } from '#keys';
import type { Environment } from '#platform/ctx.ts';
import { isDatabaseAway } from '#platform/db.ts';
import { perSystem, type System } from '#platform/system.ts';
import { bindToSessions } from './bound-sessions.ts';
import { useApplications } from './clients.ts';
import { configuration } from './configuration.ts';
import { Documents } from './documents.ts';
import { endOnLogout } from './ending.ts';
import { inSigningOrder, nextChange, ProviderKey } from './signing.ts';

/** The provider of one issuer, ready to answer. */
export type Issuer = {
  provider: Provider;
  answer: ReturnType<Provider['callback']>;
  /** Tells a client that a session ended (OpenID Connect Back-Channel Logout 1.0). */
  tellOfLogout: (clientId: string, subject: string, sid: string) => Promise<void>;
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
  bindToSessions(provider);
  endOnLogout(provider, system, environment);
  const tellOfLogout = takeLogoutMessages(provider);
  const documents = new Documents();
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.method !== 'POST') documents.keep(ctx);
    // A failed client authentication always says how to do it (RFC 9110 §15.5.2), also when the secret came in the body.
    else if (ctx.status === 401 && !ctx.response.get('www-authenticate'))
      ctx.set('www-authenticate', `Basic realm="${address}"`);
  });
  provider.on('server_error', (ctx, error) => answerFault(system, ctx, error));
  return { provider, answer: provider.callback(), tellOfLogout, documents, goodUntil: nextChange(keys, now) };
}

/** The library would tell clients while the browser waits, and once. Ours are told by the worker, until they answer. */
function takeLogoutMessages(provider: Provider): Issuer['tellOfLogout'] {
  const { Client } = provider;
  const send: unknown = Client.prototype.backchannelLogout;
  if (typeof send !== 'function') throw new Error('The library no longer tells clients of a logout by itself.');
  Client.prototype.backchannelLogout = async () => undefined;
  return async (clientId, subject, sid) => {
    const client = await Client.find(clientId);
    if (client?.backchannelLogoutUri !== undefined) await Reflect.apply(send, client, [subject, sid]);
  };
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
