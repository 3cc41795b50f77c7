import type { Auth } from '../auth.ts';
import { callApi } from '../calls.ts';
import { Clock } from '../clock.ts';
import { contentOf, type Issuer, refusalOf } from '../endpoints.ts';
import { keepPending, takeLinkCode } from '../pending.ts';
import { lasts, type Token } from '../session.ts';
import { type Proof, type SignInMethods, sessionIn } from './answers.ts';
import type { ApiAuth } from './api-auth.ts';
import { call, methodsOf } from './host.ts';
import { getPasskey } from './passkeys.ts';

/** What a person reads and changes of their own: `/v1/me`. */
export type Account = {
  readonly auth: Auth | ApiAuth;
  methods: () => Promise<SignInMethods>;
  /** Calls `/v1/me` at the `apiUrl` of the methods. @throws AuthError step_up_required, signed_out, offline, unavailable */
  fetch: (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;
  /** Proves again who is there; sensitive changes are then allowed for ten minutes. */
  reauthenticate: (proof: Proof) => Promise<void>;
  /** Sends a code that is a proof, to an address of the person. @returns its `flowId` */
  sendProof: (to: { email: string } | { phone: string }) => Promise<string>;
  /** Asks for a passkey. */
  passkeyProof: () => Promise<Proof>;
  /**
   * Goes to the `url` of `POST /v1/me/linked-identities`, to link an account at a provider; in another tab where the session ends with
   * the page.
   */
  goToLink: (url: string) => Promise<void>;
  /**
   * Takes the `code` for `POST /v1/me/linked-identities`, once, after the provider has led back.
   * @returns null if there is none, and an empty text if the provider returned an error
   */
  takeLinkCode: () => string | null;
};

/**
 * The account of the person who is signed in. A sign-in by the hosted pages gets a session of the API, if the application is first-party
 * and names no `resource`.
 */
export function accountOf(auth: Auth | ApiAuth): Account {
  if ('methods' in auth) return ownAccount(auth);
  const account = exchanged.get(auth) ?? new ExchangedAccount(auth);
  exchanged.set(auth, account);
  return account;
}

/** A page exchanges its token once, however many components show the account. */
const exchanged = new WeakMap<Auth, Account>();

function ownAccount(auth: ApiAuth): Account {
  return {
    auth,
    methods: () => auth.methods(),
    fetch: (input, init) => auth.fetch(input, init),
    reauthenticate: (proof) => auth.reauthenticate(proof),
    sendProof: async (to) => {
      const { flowId } = await ('email' in to ? auth.sendEmailCode(to.email) : auth.sendPhoneCode(to.phone));
      return flowId;
    },
    passkeyProof: () => auth.passkeyProof(),
    goToLink: (url) => goToLink(auth.clientId, url, auth.endsWithPage),
    takeLinkCode: () => takeLinkCode(auth.clientId),
  };
}

function goToLink(clientId: string, url: string, inTab: boolean): Promise<void> {
  const state = keepPending(clientId, { at: Date.now(), returnTo: location.href, isLinking: true });
  const target = new URL(url);
  target.searchParams.set('state', state);
  const tab = inTab ? open(target, '_blank') : null;
  if (tab) {
    // The provider must not lead this page elsewhere.
    tab.opener = null;
    return Promise.resolve();
  }
  location.assign(target);
  return new Promise(() => undefined);
}

/** A token of the API and the person whom it is for. */
type Exchanged = Token & { of: string };

/** An account by a session that the OpenID access token was exchanged for. */
class ExchangedAccount implements Account {
  readonly auth: Auth;
  readonly methods: () => Promise<SignInMethods>;
  readonly #issuer: Issuer;
  #token: Promise<Exchanged> | null = null;

  constructor(auth: Auth) {
    this.auth = auth;
    this.#issuer = { url: auth.issuer, clientId: auth.clientId, clock: new Clock(), prover: null };
    this.methods = methodsOf(this.#issuer);
  }

  async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const { apiUrl } = await this.methods();
    const token = (refused?: string) => this.#current(refused);
    return callApi({ prover: null, origins: [new URL(apiUrl).origin], token }, new Request(input, init));
  }

  async reauthenticate(proof: Proof): Promise<void> {
    const token = await this.#current();
    const body = await call(this.#issuer, `${this.auth.issuer}/v1/auth/reauthenticate`, { body: proof, token });
    this.#token = Promise.resolve(this.#tokenIn(body));
  }

  goToLink(url: string): Promise<void> {
    return goToLink(this.auth.clientId, url, false);
  }

  takeLinkCode(): string | null {
    return takeLinkCode(this.auth.clientId);
  }

  async sendProof(to: { email: string } | { phone: string }): Promise<string> {
    const { flowId } = await this.#post('email' in to ? 'email-code' : 'phone', to);
    return flowId;
  }

  async passkeyProof(): Promise<Proof> {
    const { flowId, options } = await this.#post('passkey/options', {});
    return { flowId, response: await getPasskey(options) };
  }

  #post(path: string, body: object) {
    const sent = { ...body, clientId: this.auth.clientId };
    return call(this.#issuer, `${this.auth.issuer}/v1/auth/login/${path}`, { body: sent });
  }

  async #current(refused?: string): Promise<string> {
    const asked = this.#token;
    const known = await asked?.catch(() => null);
    if (known && known.value !== refused && this.#isUsable(known)) return known.value;
    // Callers that waited for the same token share the next one.
    const shared = this.#token === asked ? null : this.#token;
    this.#token = shared ?? this.#exchange();
    return (await this.#token).value;
  }

  #isUsable(token: Exchanged): boolean {
    const { state } = this.auth;
    return state.status === 'signed-in' && token.of === state.user.sub && lasts(token, this.#issuer.clock);
  }

  async #exchange(): Promise<Exchanged> {
    const { workspaceId, projectId, environment } = await this.methods();
    const response = await this.auth.fetch(`${this.auth.issuer}/v1/sessions/switch-context`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ workspaceId, projectId, environment }),
      token: { resource: '' },
    });
    const body = await contentOf(response);
    if (!response.ok) throw refusalOf(response, body);
    return this.#tokenIn(body);
  }

  #tokenIn(body: object): Exchanged {
    const { token: value, seconds, userId: of } = sessionIn(body);
    return { value, of, expiresAt: this.#issuer.clock.now() + seconds * 1000 };
  }
}
