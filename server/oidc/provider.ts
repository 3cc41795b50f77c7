import Provider, { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { findProject } from '#environments';
import { type SigningKey, signingKeys } from '#keys';
import { EXPOSED_HEADERS } from '#platform/cross-origin.ts';
import type { Environment } from '#platform/ctx.ts';
import { isDatabaseAway, isDeadlock } from '#platform/db.ts';
import { perSystem, type System } from '#platform/system.ts';
import { languages } from '#settings';
import { bindToSessions } from './bound-sessions.ts';
import { type IssuerAddress, realmOf, useApplications } from './clients.ts';
import { configuration } from './configuration.ts';
import { passCustomClaims } from './custom-claims.ts';
import { Documents } from './documents.ts';
import { endOnLogout, goOnToLogout } from './ending.ts';
import { bindCookies } from './host-cookies.ts';
import { takeOfflineAccess } from './offline-access.ts';
import { useProofsOnce } from './one-time.ts';
import { useSwitchedGrants } from './organization-switches.ts';
import { PROMPT_VALUES } from './prompts.ts';
import { settle } from './record-writes.ts';
import { repeatLostRefreshes, returnSuccessor } from './refresh-rotation.ts';
import { routeIds } from './routed-ids.ts';
import { inSigningOrder, nextChange, ProviderKey } from './signing.ts';
import { serveStructuredTokens } from './structured-tokens.ts';
import { offerTokenExchange } from './token-exchange.ts';
import { addTokenHash } from './token-hash.ts';

/** The provider of one issuer, ready for requests. */
export type Issuer = {
  url: URL;
  provider: Provider;
  respond: ReturnType<Provider['callback']>;
  documents: Documents;
  /** Signs the tokens of machines. */
  signer: SigningKey | undefined;
  /** Milliseconds since the epoch; after that another key signs. */
  goodUntil: number;
};

/** The issuer of an environment's own address, which serves every project. */
export function commonIssuer(system: System, environment: Environment): IssuerAddress {
  return { url: system.config.addresses[environment].auth, scope: null, organizationId: null, environment };
}

/**
 * The provider of an issuer. Created at first use, and again when its keys, the data keys, its domain or the project's
 * settings change.
 */
export function issuerOf(system: System, address: IssuerAddress): Issuer | Promise<Issuer> {
  return issuers(system).get(address);
}

/** Each takes about 75 kilobytes of memory and 20 milliseconds to create; the least recently used is evicted. */
const MAX_ISSUERS = 500;

class IssuerCache {
  readonly #system: System;
  /** By realm, the most recently used last: a host may change owners. */
  readonly #made = new Map<string, { address: IssuerAddress; issuer: Issuer }>();
  readonly #making = new Map<string, Promise<Issuer>>();

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({
        replay: async () => this.#forget(),
        onChange: ({ topic, key }) => {
          if (topic === 'signing-keys' || topic === 'data-keys-read' || topic === 'domain') this.#forget();
          else if (topic === 'project') this.#dropProject(key);
        },
      })
      .catch((error: unknown) => system.log.error({ err: error }, 'provider cache'));
  }

  get(address: IssuerAddress): Issuer | Promise<Issuer> {
    const realm = realmOf(address);
    const made = this.#made.get(realm);
    if (made && this.#system.clock.now().getTime() < made.issuer.goodUntil) {
      this.#made.delete(realm);
      this.#made.set(realm, made);
      return made.issuer;
    }
    return this.#making.get(realm) ?? this.#make(address);
  }

  #make(address: IssuerAddress): Promise<Issuer> {
    const realm = realmOf(address);
    const making = makeIssuer(this.#system, address)
      .then((issuer) => {
        // An issuer whose creation started before a change serves only the requests that already wait for it.
        if (this.#making.get(realm) === making) this.#keep(address, issuer);
        return issuer;
      })
      .finally(() => {
        if (this.#making.get(realm) === making) this.#making.delete(realm);
      });
    this.#making.set(realm, making);
    return making;
  }

  #keep(address: IssuerAddress, issuer: Issuer): void {
    const realm = realmOf(address);
    this.#made.delete(realm);
    const oldest = this.#made.size >= MAX_ISSUERS ? this.#made.keys().next().value : undefined;
    if (oldest !== undefined) this.#made.delete(oldest);
    this.#made.set(realm, { address, issuer });
  }

  #forget(): void {
    this.#made.clear();
    this.#making.clear();
  }

  /**
   * Drops the issuers that may serve a project whose settings changed, and those in creation, which may use the old
   * settings.
   */
  #dropProject(projectId: string): void {
    this.#making.clear();
    for (const [realm, { address }] of this.#made)
      if (projectId === '*' || address.scope === null || address.scope.projectId === projectId)
        this.#made.delete(realm);
  }
}

const issuers = perSystem((system) => new IssuerCache(system));

async function makeIssuer(system: System, address: IssuerAddress): Promise<Issuer> {
  const { url, environment } = address;
  const keySet = signingKeys(system, environment);
  // The key set hears of the same change and may not have read the new keys yet.
  await keySet.reload();
  const now = system.clock.now();
  const keys = await keySet.all();
  const signing = inSigningOrder(keys, now);
  const provider = new Provider(url, {
    ...configuration(system, address),
    discovery: await announced(system, address),
    jwks: { keys: signing.map((key) => new ProviderKey(key)) },
  });
  // Addresses in responses are the issuer's, whichever proxy the request came through: the bridge sets the forwarded
  // headers itself.
  provider.proxy = true;
  useApplications(provider, system, address);
  bindCookies(provider, address);
  bindToSessions(provider);
  routeIds(provider);
  useProofsOnce(provider, system, address);
  takeOfflineAccess(provider);
  repeatLostRefreshes(provider);
  useSwitchedGrants(provider);
  addTokenHash(provider);
  passCustomClaims(provider);
  serveStructuredTokens(provider, system, address);
  endOnLogout(provider, system, environment);
  offerTokenExchange(provider, system, address);
  // The library would notify clients once, while the browser waits. Here the worker does, with retries.
  provider.Client.prototype.backchannelLogout = async () => undefined;
  // Every ID token names its session: it lets an application sign out without a question (see `signOutByHint`).
  provider.Client.prototype.includeSid = () => true;
  const documents = new Documents();
  provider.use(async (ctx, next) => {
    await next();
    await settleLate(system, ctx);
    await goOnToLogout(system, address, ctx);
    returnSuccessor(ctx);
    if (ctx.response.get('access-control-allow-origin')) ctx.set('access-control-expose-headers', EXPOSED_HEADERS);
    // The account page alone may use `none`.
    if (ctx.oidc?.route === 'discovery') ctx.body = { ...Object(ctx.body), response_types_supported: ['code'] };
    if (ctx.method !== 'POST') documents.keep(ctx);
    // A failed client authentication always names the scheme (RFC 9110 §15.5.2), also when the secret was in the body.
    else if (ctx.status === 401 && !ctx.response.get('www-authenticate'))
      ctx.set('www-authenticate', `Basic realm="${url}"`);
  });
  provider.on('server_error', (ctx, error) => respondToFault(system, ctx, error));
  const respond = provider.callback();
  const signer = signing.find(({ algorithm }) => algorithm === 'ES256');
  return { url: new URL(url), provider, respond, documents, signer, goodUntil: nextChange(keys, now) };
}

/**
 * Latchkey implements registration. It is announced where it is open: by an environment's issuer, for its default
 * project.
 */
async function announced(
  system: System,
  { url, scope, environment }: IssuerAddress,
): Promise<Configuration['discovery']> {
  const project = await findProject(system, scope ?? { environment, default: true });
  const isOpen = project?.settings.dynamicRegistration === 'with_token';
  return {
    prompt_values_supported: PROMPT_VALUES,
    ui_locales_supported: languages,
    ...(isOpen && { registration_endpoint: `${url}/connect/register` }),
  };
}

/** Writes what waited for a record that never came, such as the code of a request that was refused. */
async function settleLate(system: System, ctx: Parameters<Parameters<Provider['use']>[0]>[0]): Promise<void> {
  try {
    if (ctx['oidc']) await settle(system, ctx['oidc']);
  } catch (error) {
    // The request has been refused already, so it does not matter that its code was used before.
    if (ctx.status >= 400 && error instanceof errors.InvalidGrant) return;
    ctx.status = 500;
    ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' };
    respondToFault(system, ctx, error instanceof Error ? error : new Error(String(error)));
  }
}

function respondToFault(system: System, ctx: Pick<KoaContextWithOIDC, 'status' | 'set' | 'body'>, error: Error): void {
  if (!isDatabaseAway(error) && !isDeadlock(error)) {
    system.log.error({ err: error }, 'OIDC provider');
    return;
  }
  ctx.status = 503;
  ctx.set('retry-after', '1');
  ctx.body = {
    error: 'temporarily_unavailable',
    error_description: 'the service cannot answer right now; try again shortly',
  };
}
