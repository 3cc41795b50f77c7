import { randomText, sha256 } from '../encoding.ts';
import type { Issuer } from '../endpoints.ts';
import { keepPending, ownAddress } from '../pending.ts';
import {
  type Enrollment,
  type FactorChallenge,
  type Proof,
  type Sent,
  type SignInMethods,
  type Step,
  stepIn,
} from './answers.ts';
import { addressOf, call, methodsOf } from './host.ts';
import { getPasskey } from './passkeys.ts';
import { solve } from './proof-of-work.ts';

/** How a passkey is asked for. */
export type PasskeyOptions = { conditional?: boolean; signal?: AbortSignal };

/** How a person who leaves the page for a provider or a mailed link comes back. */
export type LeaveOptions = {
  /** Where they go afterwards: an address of this page's origin. By default the present one. */
  returnTo?: string;
  /** The address to fill in. */
  loginHint?: string;
};

export type Registration = {
  email?: string;
  phone?: string;
  password?: string;
  profile?: { displayName?: string; givenName?: string; familyName?: string; locale?: string };
  invitationToken?: string;
};

const SENDING = {
  email_code: { verify: 'login/email-code/verify', resend: 'email/resend' },
  magic_link: { verify: 'login/magic-link/verify', resend: 'email/resend' },
  phone: { verify: 'login/phone/verify', resend: 'phone/resend' },
  verify_email: { verify: 'email/verify', resend: 'email/resend' },
  verify_phone: { verify: 'phone/verify', resend: 'phone/resend' },
  reset: { verify: 'password/reset', resend: 'email/resend' },
} as const;

type Settings = { issuer: Issuer; cookies: boolean; redirectUri: string | undefined };

/** All ways in. A way ends with a session, or with the next step. */
export abstract class WaysIn {
  readonly #issuer: Issuer;
  readonly #cookies: boolean;
  readonly #redirectUri: string | undefined;
  /** What the project allows. */
  readonly methods: () => Promise<SignInMethods>;

  constructor({ issuer, cookies, redirectUri }: Settings) {
    this.#issuer = issuer;
    this.methods = methodsOf(issuer);
    this.#cookies = cookies;
    this.#redirectUri = redirectUri;
  }

  /** Begins a session with a response. */
  protected abstract begin(body: object): Promise<void>;

  get issuer(): string {
    return this.#issuer.url;
  }

  get clientId(): string {
    return this.#issuer.clientId;
  }

  /** Where providers and mailed links lead back to. */
  get redirectUri(): string {
    return this.#redirectUri ?? `${location.origin}/`;
  }

  async signInWithPassword(identifier: string, password: string): Promise<Step> {
    return this.#enter('login/password', { identifier, password, ...(await this.#proof()) });
  }

  /** Mails a code. */
  async sendEmailCode(email: string): Promise<Sent> {
    const body = { email, ...(await this.#proof()) };
    return this.#send('email_code', { path: 'login/email-code', to: email, body });
  }

  /** Mails a link, with a code for this page. */
  async sendMagicLink(email: string, options: LeaveOptions = {}): Promise<Sent> {
    const { redirectUri, state, codeChallenge } = await this.#leaving(options);
    const body = { email, redirectUri, state, codeChallenge, ...(await this.#proof()) };
    return this.#send('magic_link', { path: 'login/magic-link', to: email, body });
  }

  /** Sends a code by text message. */
  async sendPhoneCode(phone: string): Promise<Sent> {
    const body = { phone, ...(await this.#proof()) };
    return this.#send('phone', { path: 'login/phone', to: phone, body });
  }

  /** Sends the message again. */
  resend({ purpose, flowId, to }: Sent): Promise<Sent> {
    return this.#send(purpose, { path: SENDING[purpose].resend, to, body: { flowId } });
  }

  /** Signs in, or goes on with a registration, by the code of a message. */
  verify({ purpose, flowId }: Sent, code: string): Promise<Step> {
    return this.#enter(SENDING[purpose].verify, { flowId, code });
  }

  /** Asks for a passkey. With `conditional` the browser offers them in a field with `autocomplete="webauthn"`. */
  async signInWithPasskey(how: PasskeyOptions = {}): Promise<Step> {
    return this.#enter('login/passkey/verify', await this.passkeyProof(how));
  }

  /** Asks for a passkey, as a proof of who is there. */
  async passkeyProof(how: PasskeyOptions = {}): Promise<{ flowId: string; response: object }> {
    const { flowId, options } = await this.#post('login/passkey/options', {});
    return { flowId, response: await getPasskey(options, how) };
  }

  /** Goes to a provider of {@link methods}. The promise is never fulfilled, since the page is left. */
  signInWithProvider(id: string, options: LeaveOptions = {}): Promise<never> {
    return this.#leave(`login/social/${encodeURIComponent(id)}/start`, options);
  }

  /** The connection of the company that an address belongs to. */
  async findConnection(email: string): Promise<{ id: string; name: string; required: boolean } | null> {
    const { connection } = await this.#post('login/connections/discover', { email });
    return connection;
  }

  /** Goes to the identity provider of a company. The page is left. */
  signInWithConnection(id: string, options: LeaveOptions = {}): Promise<never> {
    return this.#leave(`login/connections/${encodeURIComponent(id)}/start`, options);
  }

  async register(registration: Registration): Promise<Step> {
    return this.#enter('register', { ...registration, ...(await this.#proof()) });
  }

  acceptInvitation(token: string, registration: Pick<Registration, 'password' | 'profile'>): Promise<Step> {
    return this.#enter('invitations/accept', { token, ...registration });
  }

  /** Sends the code of a phone, or gets the options of a passkey. */
  async challengeFactor(mfaToken: string, factorId: string): Promise<FactorChallenge> {
    const {
      type,
      flowId = null,
      hint = null,
      options = null,
    } = await this.#call('mfa/challenge', { mfaToken, factorId });
    return { type, flowId, hint, options };
  }

  /** Finishes a sign-in with a second factor or a recovery code. */
  verifyFactor(
    mfaToken: string,
    proof: Extract<Proof, { code: string } | { response: object }>,
    { rememberDevice = false } = {},
  ): Promise<Step> {
    return this.#finish('mfa/verify', { mfaToken, ...proof, rememberDevice });
  }

  /** Sets up the factor that the project requires: an authenticator app. */
  enrollTotp(mfaToken: string): Promise<Enrollment> {
    return this.#call('mfa/enroll', { mfaToken });
  }

  confirmTotp(mfaToken: string, { id, code }: { id: string; code: string }): Promise<Step> {
    return this.#finish('mfa/enroll/confirm', { mfaToken, factorId: id, code });
  }

  async forgotPassword(identifier: string): Promise<Sent> {
    const body = { identifier, ...(await this.#proof()) };
    return this.#send('reset', { path: 'password/forgot', to: identifier, body });
  }

  /** Ends all sessions of the person. They sign in with the new password afterwards. */
  async resetPassword({ flowId }: Sent, { code, newPassword }: { code: string; newPassword: string }): Promise<void> {
    await this.#post('password/reset', { flowId, code, newPassword });
  }

  /** Redeems the code that a provider or a mailed link brought to this page. */
  protected exchange(code: string | null, codeVerifier: string): Promise<Step> {
    return this.#enter('login/social/exchange', { code, codeVerifier });
  }

  #call(path: string, body: object) {
    return call(this.#issuer, `${this.issuer}/v1/auth/${path}`, { body, cookies: this.#cookies });
  }

  #post(path: string, body: object) {
    return this.#call(path, { ...body, clientId: this.clientId });
  }

  async #send(purpose: Sent['purpose'], { path, to, body }: { path: string; to: string; body: object }): Promise<Sent> {
    const { flowId, expiresIn, resendAfter } = await this.#post(path, body);
    return { purpose, flowId, expiresIn, resendAfter, to };
  }

  /** A request that may end in a session. */
  #enter(path: string, body: object): Promise<Step> {
    const deviceToken = localStorage.getItem(this.#device);
    return this.#finish(path, { ...body, clientId: this.clientId, ...(deviceToken && { deviceToken }) });
  }

  async #finish(path: string, body: object): Promise<Step> {
    const response = await this.#call(path, { ...body, ...(this.#cookies && { cookies: true }) });
    const step = stepIn(response);
    if (step) return step;
    const { deviceToken, recoveryCodes } = response;
    if (deviceToken) localStorage.setItem(this.#device, deviceToken);
    if (recoveryCodes) return { status: 'recovery_codes', recoveryCodes, proceed: () => this.begin(response) };
    await this.begin(response);
    return { status: 'signed_in' };
  }

  get #device(): string {
    return `latchkey ${this.clientId} device`;
  }

  async #proof(): Promise<{ proof?: string }> {
    const { proofOfWork } = await this.methods();
    if (!proofOfWork) return {};
    return { proof: await solve(await call(this.#issuer, addressOf(this.#issuer, 'challenge'))) };
  }

  async #leaving({ returnTo }: LeaveOptions) {
    const verifier = randomText();
    const state = keepPending(this.clientId, { at: Date.now(), verifier, returnTo: ownAddress(returnTo) });
    return {
      clientId: this.clientId,
      redirectUri: this.redirectUri,
      state,
      codeChallenge: await sha256(verifier),
    };
  }

  async #leave(path: string, options: LeaveOptions): Promise<never> {
    const { loginHint } = options;
    const query = new URLSearchParams({ ...(await this.#leaving(options)), ...(loginHint && { loginHint }) });
    location.assign(`${this.issuer}/v1/auth/${path}?${query}`);
    return new Promise(() => undefined);
  }
}
