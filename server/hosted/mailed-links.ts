import { html } from 'hono/html';
import type { Static } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { issueExchangeCode, withQuery } from '#exchange';
import { type ProvenAddress, requireFirstParty } from '#federation';
import { findIdentifier } from '#identifiers';
import { findInvitation, projectOfInvitation } from '#invitations';
import { deviceOf } from '#notices';
import type { Markup, Voice } from '#pages';
import { minimumLength } from '#passwords';
import type { Ctx } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import type { OrganizationId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { at } from '#platform/scoped.ts';
import { lookAtLink, withProof } from '#proofs';
import { linkCtx, realmOfSecret } from '#requests';
import type { SessionResponse } from '#sessions';
import type { Settings } from '#settings';
import {
  BegunAs,
  Destination,
  enterProven,
  lookAtVerification,
  registerInvited,
  resetPassword,
  verifyAddress,
} from '#sign-in';
import { Passage, type SignedIn, signInResponse } from '#ways';
import { passwordField } from './fields.ts';

export const linkKinds = ['sign-in', 'verify', 'password', 'invitation'] as const;
export type LinkKind = (typeof linkKinds)[number];

/** The page of a link; without a button it only informs. */
export type Looked = { title: string; intro: Markup; fields?: Markup; button: string | null; leaves?: boolean };
type Form = { password?: string; displayName?: string };

/** The result of the click: on to the application, or a page that confirms the action. */
type Finished = { redirect: string } | { title: string; text: string; session?: SessionResponse };

/** A link in a browser with a mark: its scope, and the texts of its page. */
type Opened = { ctx: Ctx; voice: Voice; token: string; browser: string | undefined };

/**
 * A kind of link: its scope, its page, and the action of the click. All throw INVALID_TOKEN for a link that does not
 * work.
 */
type Link = {
  open: (request: Request, token: string) => Promise<Ctx>;
  /** The organization that the link is about. */
  organization?: (ctx: Ctx, token: string) => Promise<OrganizationId | null>;
  look: (opened: Opened) => Promise<Looked>;
  finish: (opened: Opened, form: Form) => Promise<Finished>;
};

const EXCHANGE_SECONDS = 60;

const signInLink: Link = {
  open: linkCtx,

  async look({ ctx, voice, ...proof }) {
    const { say } = voice;
    const link = await lookAtLink(ctx, proof, ['magic_link']);
    if (isElsewhere(link))
      return { title: say('mailed.elsewhereTitle'), intro: html`<p>${say('mailed.elsewhere')}</p>`, button: null };
    return { ...linkPages['sign-in'](voice, link), leaves: Value.Check(Destination, link.pending) };
  },

  async finish({ ctx, voice, ...proof }) {
    const { say } = voice;
    const link = await lookAtLink(ctx, proof, ['magic_link']);
    if (isElsewhere(link)) return { title: say('mailed.elsewhereTitle'), text: say('mailed.elsewhere') };
    const way = await new Passage(ctx, 'magic_link').open(ctx);
    const spent: Parameters<typeof withProof>[1] = { proof, purposes: ['magic_link'] };
    if (!Value.Check(Destination, link.pending)) {
      const result = await withProof(ctx, spent, async (tx, flow) =>
        complete(await enterProven(tx, flow, { way, deviceToken: undefined })),
      );
      return signedInHere(ctx, voice, result);
    }
    const { redirectUri, state, binding } = link.pending;
    const code = await withProof(ctx, spent, async (tx, { channel, address, userId, begunHere, pending }) => {
      await requireFirstParty(tx, binding);
      const begunAs = begunHere && Value.Check(BegunAs, pending) ? pending.begunAs : null;
      const content: Static<typeof ProvenAddress> = { channel, address, userId, begunAs, binding };
      return issueExchangeCode(tx, { purpose: 'address', content, userId, seconds: EXCHANGE_SECONDS });
    });
    return { redirect: withQuery(redirectUri, { code, state }) };
  },
};

/** A sign-in on our own pages continues only in the browser that started it; elsewhere its link is not spent. */
function isElsewhere({ pending, begunHere }: { pending: unknown; begunHere: boolean }): boolean {
  return Value.Check(Destination, pending) && pending.ownPages && !begunHere;
}

/**
 * A second step is only possible in the application; thrown inside the transaction, so that the mailed code still works
 * there.
 */
function complete(result: SignedIn): SignedIn {
  if ('challenge' in result) throw problem('CONFLICT', 'This account has a second step.');
  return result;
}

async function signedInHere(ctx: Ctx, { say, project }: Voice, result: SignedIn): Promise<Finished> {
  const done = { title: say('mailed.signedIn'), text: say('mailed.goBack', { project }) };
  const response = await signInResponse(ctx, result);
  return 'access_token' in response ? { ...done, session: response } : done;
}

const verifyLink: Link = {
  open: linkCtx,

  async look({ ctx, voice, ...proof }) {
    const { settings } = await projectOf(ctx.system, ctx.scope);
    return linkPages.verify(voice, await lookAtVerification(ctx, proof), settings);
  },

  async finish({ ctx, voice: { say, project }, ...proof }, { password }) {
    const response = await verifyAddress(ctx, proof, { password });
    const done = { title: say('mailed.verifiedTitle'), text: say('mailed.verified', { project }) };
    return 'access_token' in response ? { ...done, session: response } : done;
  },
};

const passwordLink: Link = {
  open: linkCtx,

  async look({ ctx, voice, ...proof }) {
    const { settings } = await projectOf(ctx.system, ctx.scope);
    return linkPages.password(voice, await lookAtLink(ctx, proof, ['reset_password']), settings);
  },

  async finish({ ctx, voice: { say, project }, token }, { password }) {
    await resetPassword(ctx, { token }, password ?? '');
    return { title: say('mailed.passwordChanged'), text: say('mailed.signInThere', { project }) };
  },
};

const invitationLink: Link = {
  async open(request, token) {
    const realm = await realmOfSecret(request, token);
    return at(realm, { projectId: await projectOfInvitation(realm, token) });
  },

  organization: async (ctx, token) => (await findInvitation(ctx, token)).organizationId,

  async look({ ctx, voice, token }) {
    const { settings } = await projectOf(ctx.system, ctx.scope);
    return linkPages.invitation(voice, { address: await invited(ctx, token) }, settings);
  },

  async finish({ ctx, voice: { say, project }, token }, { password, displayName }) {
    await invited(ctx, token);
    await registerInvited(ctx, {
      invitationToken: token,
      ...(password !== undefined && { password }),
      profile: displayName ? { displayName } : {},
    });
    return { title: say('mailed.joinedTitle'), text: say('mailed.joined', { project }) };
  },
};

/**
 * @returns the invited address
 * @throws Problem CONFLICT if it has an account: then its owner must sign in to the application to accept
 */
async function invited(ctx: Ctx, token: string): Promise<string> {
  const { email } = await findInvitation(ctx, token);
  if (await findIdentifier(ctx, { kind: 'email', value: email }))
    throw problem('CONFLICT', 'The invited address has an account.');
  return email;
}

/** Lets password managers find the account and suggest a new password; pasting works (ASVS 6.2.7; PW-5). */
function newPassword({ say }: Voice, length: number, account: string): Markup {
  return html`<input type="text" name="account" value="${account}" autocomplete="username" readonly hidden disabled>${passwordField(say, { label: say('password.new'), kind: 'new', length })}`;
}

type Asked = { ip: string | null; userAgent: string | null; askedAt: Date };

/** Shows where a request came from, so that nobody approves a request of somebody else. */
function askedBy({ say }: Voice, { ip, userAgent, askedAt }: Asked): Markup {
  const time = askedAt.toISOString().slice(0, 16).replace('T', ' ');
  return html`<dl><dt>${say('mailed.askedFrom')}</dt><dd>${deviceOf(userAgent)}, ${ip ?? '?'}</dd><dt>${say('mailed.askedAt')}</dt><dd><time datetime="${askedAt.toISOString()}">${time} UTC</time></dd></dl><p class="hint">${say('mailed.notYou')}</p>`;
}

type Found = Asked & { address: string; choosePassword?: boolean };

/** The pages of links that work; previews show them, too. */
export const linkPages = {
  'sign-in': (voice: Voice, link: Found): Looked => {
    const { say, project } = voice;
    return {
      title: say('mailed.signInTitle', { project }),
      intro: html`<p>${say('mailed.signIn', { project, address: link.address })}</p>${askedBy(voice, link)}`,
      button: say('signIn.action'),
    };
  },
  verify: (voice: Voice, link: Found, settings: Settings): Looked => {
    const { say, project } = voice;
    const elsewhere = link.choosePassword ? html`<p>${say('mailed.verifyElsewhere')}</p>` : '';
    return {
      title: say('mailed.verifyTitle'),
      intro: html`<p>${say('mailed.verify', { project, address: link.address })}</p>${elsewhere}${askedBy(voice, link)}`,
      fields: link.choosePassword ? newPassword(voice, minimumLength(settings), link.address) : html``,
      button: say('mailed.confirm'),
    };
  },
  password: (voice: Voice, link: Found, settings: Settings): Looked => {
    const { say, project } = voice;
    return {
      title: say('reset.title'),
      intro: html`<p>${say('mailed.password', { project, address: link.address })}</p>${askedBy(voice, link)}`,
      fields: newPassword(voice, minimumLength(settings), link.address),
      button: say('mailed.savePassword'),
    };
  },
  invitation: (voice: Voice, { address }: Pick<Found, 'address'>, settings: Settings): Looked => {
    const { say, project } = voice;
    const password = settings.signInMethods.includes('password')
      ? newPassword(voice, minimumLength(settings), address)
      : '';
    return {
      title: say('mailed.joinTitle', { project }),
      intro: html`<p>${say('mailed.invited', { project, address })}</p>`,
      fields: html`<label>${say('profile.name')}<input name="displayName" autocomplete="name" maxlength="200"></label>${password}`,
      button: say('mailed.accept'),
    };
  },
};

export const links: Readonly<Record<LinkKind, Link>> = {
  'sign-in': signInLink,
  verify: verifyLink,
  password: passwordLink,
  invitation: invitationLink,
};
