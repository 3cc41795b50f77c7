import { Type } from 'typebox';
import { Value } from 'typebox/value';
import {
  answerOf,
  deviceOf,
  enterProven,
  issueExchangeCode,
  linkCtx,
  lookAtLink,
  realmOfSecret,
  registerInvited,
  resetPassword,
  type SignedIn,
  verifyAddress,
  withProof,
  withQuery,
} from '#auth';
import { findIdentifier, minimumLength } from '#identity';
import { findInvitation } from '#members';
import type { Ctx } from '#platform/ctx.ts';
import { type Html, html } from '#platform/html.ts';
import type { Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { SessionAnswer } from '#sessions';
import { projectOf } from '#tenancy';

export const linkKinds = ['sign-in', 'verify', 'password', 'invitation'] as const;
export type LinkKind = (typeof linkKinds)[number];

type Looked = { title: string; body: { intro: Html; fields: Html; button: string }; formTarget?: string };
type Form = { password?: string; displayName?: string };

/** What a click led to: on to the application, or a page that says it is done. */
type Finished = { redirect: string } | { title: string; text: Html; session?: SessionAnswer };

/** A kind of link: what its page shows, and what the click does. Both throw INVALID_TOKEN for one that does not work. */
type Link = {
  look: (request: Request, token: string) => Promise<Looked>;
  finish: (request: Request, token: string, form: Form) => Promise<Finished>;
};

const EXCHANGE_SECONDS = 60;

/** Where a magic link ends, kept with its flow. */
const Destination = Type.Object({ redirectUri: Type.String(), state: Type.Union([Type.String(), Type.Null()]) });

const signInLink: Link = {
  async look(request, token) {
    const ctx = await linkCtx(request, token);
    const { projectName } = await projectOf(ctx.system, ctx.scope);
    const link = await lookAtLink(ctx, token, ['magic_link']);
    const intro = html`<p>You are about to sign in to <strong>${projectName}</strong> as <strong>${link.address}</strong> on this device.</p>${askedBy(link)}`;
    const target = link.pending ? new URL(Value.Parse(Destination, link.pending).redirectUri).origin : null;
    return {
      title: `Sign in to ${projectName}`,
      body: { intro, fields: html``, button: 'Sign in' },
      ...(target !== null && { formTarget: target }),
    };
  },

  async finish(request, token) {
    const ctx = await linkCtx(request, token);
    const proof: Parameters<typeof withProof>[1] = { proof: { token }, purposes: ['magic_link'] };
    const { pending } = await lookAtLink(ctx, token, ['magic_link']);
    if (!pending)
      return signedInHere(ctx, await withProof(ctx, proof, async (tx, flow) => complete(await enterProven(tx, flow))));
    const { redirectUri, state } = Value.Parse(Destination, pending);
    const code = await withProof(ctx, proof, (tx, { channel, address, userId }) =>
      issueExchangeCode(tx, { purpose: 'address', content: { channel, address, userId }, seconds: EXCHANGE_SECONDS }),
    );
    return { redirect: withQuery(redirectUri, { code, state }) };
  },
};

/** A second step can only be passed in the application; thrown inside the transaction, so that the mailed code still works there. */
function complete(result: SignedIn): SignedIn {
  if ('challenge' in result)
    throw problem(
      'CONFLICT',
      'This account has a second step. Go back to where you asked for this mail, and enter the code from it there.',
    );
  return result;
}

async function signedInHere(ctx: Ctx, result: SignedIn): Promise<Finished> {
  const { projectName } = await projectOf(ctx.system, ctx.scope);
  const done = { title: 'You are signed in', text: html`<p>Go back to ${projectName}.</p>` };
  const answer = await answerOf(ctx, result);
  return 'access_token' in answer ? { ...done, session: answer } : done;
}

const verifyLink: Link = {
  async look(request, token) {
    const ctx = await linkCtx(request, token);
    const { projectName } = await projectOf(ctx.system, ctx.scope);
    const link = await lookAtLink(ctx, token, ['register', 'verify_email']);
    const intro = html`<p>You are about to confirm that <strong>${link.address}</strong> is your address for <strong>${projectName}</strong>.</p>${askedBy(link)}`;
    return { title: 'Confirm your address', body: { intro, fields: html``, button: 'Confirm address' } };
  },

  async finish(request, token) {
    const ctx = await linkCtx(request, token);
    const answer = await verifyAddress(ctx, { token });
    const { projectName } = await projectOf(ctx.system, ctx.scope);
    const done = {
      title: 'Your address is confirmed',
      text: html`<p>You can go back to ${projectName} and sign in.</p>`,
    };
    return 'access_token' in answer ? { ...done, session: answer } : done;
  },
};

const passwordLink: Link = {
  async look(request, token) {
    const ctx = await linkCtx(request, token);
    const { projectName, settings } = await projectOf(ctx.system, ctx.scope);
    const link = await lookAtLink(ctx, token, ['reset_password']);
    const intro = html`<p>For the account <strong>${link.address}</strong> at <strong>${projectName}</strong>. Every device is signed out.</p>${askedBy(link)}`;
    return {
      title: 'Choose a new password',
      body: { intro, fields: passwordField(minimumLength(settings), link.address), button: 'Save password' },
    };
  },

  async finish(request, token, { password }) {
    const ctx = await linkCtx(request, token);
    await resetPassword(ctx, { token }, password ?? '');
    const { projectName } = await projectOf(ctx.system, ctx.scope);
    return { title: 'Your password is changed', text: html`<p>Sign in to ${projectName} with it.</p>` };
  },
};

const invitationLink: Link = {
  async look(request, token) {
    const { ctx, email } = await invited(request, token);
    const { projectName, settings } = await projectOf(ctx.system, ctx.scope);
    const intro = html`<p>You are invited to <strong>${projectName}</strong> as <strong>${email}</strong>.</p>`;
    const fields = html`<label>Your name<input name="displayName" autocomplete="name" maxlength="200"></label>${passwordField(minimumLength(settings), email)}`;
    return { title: `Join ${projectName}`, body: { intro, fields, button: 'Accept the invitation' } };
  },

  async finish(request, token, { password, displayName }) {
    const { ctx } = await invited(request, token);
    await registerInvited(ctx, {
      invitationToken: token,
      ...(password !== undefined && { password }),
      profile: displayName ? { displayName } : {},
    });
    const { projectName } = await projectOf(ctx.system, ctx.scope);
    return { title: 'You have joined', text: html`<p>Sign in to ${projectName} with your address and password.</p>` };
  },
};

/** @throws Problem CONFLICT when the address has an account: then its owner accepts in the application, signed in */
async function invited(request: Request, token: string): Promise<{ ctx: Ctx; email: string }> {
  const realm = await realmOfSecret(request, token);
  const { projectId, email } = await findInvitation(realm, token);
  const ctx = { ...realm, scope: { ...realm.scope, projectId } };
  if (await findIdentifier(ctx, { kind: 'email', value: email }))
    throw problem(
      'CONFLICT',
      'You have an account with this address already. Sign in to the application and accept the invitation there.',
    );
  return { ctx, email };
}

/** Password managers find the account and offer a new password; pasting works (ASVS 6.2.7; PW-5). */
function passwordField(minimum: number, account: string): Html {
  return html`<input type="text" name="account" value="${account}" autocomplete="username" readonly hidden disabled>
<label>New password<input type="password" name="password" autocomplete="new-password" minlength="${minimum}" maxlength="1024" required aria-describedby="password-hint"></label><p class="soft" id="password-hint">At least ${minimum} characters. A few random words make a good one.</p>`;
}

/** So that nobody approves what somebody else began. */
function askedBy({ ip, userAgent, askedAt }: { ip: string | null; userAgent: string | null; askedAt: Date }): Html {
  const time = askedAt.toISOString().slice(0, 16).replace('T', ' ');
  return html`<dl><dt>Asked for from</dt><dd>${deviceOf(userAgent)}, ${ip ?? 'unknown address'}</dd><dt>At</dt><dd><time datetime="${askedAt.toISOString()}">${time} UTC</time></dd></dl><p class="soft">If this was not you, close this page: nothing happens without the button.</p>`;
}

export const links: Readonly<Record<LinkKind, Link>> = {
  'sign-in': signInLink,
  verify: verifyLink,
  password: passwordLink,
  invitation: invitationLink,
};
