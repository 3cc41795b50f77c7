import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { upstreamProvider } from '#applications';
import { authAddressOf } from '#domains';
import { lookAtExchangeCode, requireRedirectUri, spendExchangeCode } from '#exchange';
import type { UpstreamIdentity } from '#linked-identities';
import { linkIdentity, listIdentities } from '#linked-identities';
import { credentialChanged } from '#notices';
import { type Ctx, customerOf, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type SessionId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { AskedLink, UpstreamResult } from './social.ts';

const PURPOSE = 'link-ticket';
const TICKET_SECONDS = 600;

const Ticket = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  userId: IdSchema('usr'),
  sessionId: IdSchema('ses'),
  redirectUri: Type.String(),
  /** Milliseconds since the epoch. */
  until: Type.Integer(),
});

type Linking = { scope: Scope; userId: UserId; sessionId: SessionId; redirectUri: string };

/**
 * Carries a signed-in person's wish to link from the API host to the auth host's start page, encrypted in the address. By
 * itself it links nothing: whoever comes back needs the session that began to finish.
 */
export const linkTicket = {
  seal(system: System, { scope, ...linking }: Linking): string {
    const until = system.clock.now().getTime() + TICKET_SECONDS * 1000;
    return system.keyring.seal(JSON.stringify({ ...scope, ...linking, until }), PURPOSE, PURPOSE);
  },

  /** @throws Problem INVALID_TOKEN for one that was not made here, or is too old */
  open(system: System, ticket: string): Linking {
    try {
      const { userId, sessionId, redirectUri, until, ...scope } = Value.Parse(
        Ticket,
        JSON.parse(system.keyring.open(ticket, PURPOSE, PURPOSE)),
      );
      if (until > system.clock.now().getTime()) return { scope, userId, sessionId, redirectUri };
    } catch {
      // Whatever is wrong with it, the answer is the same.
    }
    throw problem('INVALID_TOKEN');
  },
};

const NOT_YOURS = 'The linking was begun in another session. Begin it again here.';

/** What a code stands for that the signed-in person's own session began to link. @throws Problem INVALID_TOKEN */
function begunHere(ctx: Pick<Ctx, 'actor'>, content: unknown) {
  const { userId, sessionId } = customerOf(ctx);
  if (!Value.Check(UpstreamResult, content)) throw problem('INVALID_TOKEN', NOT_YOURS);
  const { identity, linkTo } = content;
  if (linkTo?.userId !== userId || linkTo.sessionId !== sessionId) throw problem('INVALID_TOKEN', NOT_YOURS);
  return identity;
}

/** What a link token stands for, for the person whose account it names. @throws Problem INVALID_TOKEN */
function askedOf(ctx: Pick<Ctx, 'actor'>, content: unknown) {
  const { userId } = customerOf(ctx);
  if (!Value.Check(AskedLink, content) || content.linkTo !== userId)
    throw problem('INVALID_TOKEN', 'The proof belongs to another account.');
  return content.identity;
}

/** An account at a provider as its owner knows it. */
type Named = { provider: string; name: string };

function named({ provider, email, name, subject }: UpstreamIdentity): Named {
  return { provider, name: email ?? name ?? subject };
}

/** What a code would link, for a page that asks first. @throws Problem INVALID_TOKEN unless this session began it */
export async function lookAtLinking(ctx: Ctx, code: string): Promise<Named> {
  return named(begunHere(ctx, await lookAtExchangeCode(ctx, code, 'link')));
}

/** {@link lookAtLinking} for a link token. @throws Problem INVALID_TOKEN for another person's */
export async function lookAtLinkToken(ctx: Ctx, linkToken: string): Promise<Named> {
  return named(askedOf(ctx, await lookAtExchangeCode(ctx, linkToken, 'link_token')));
}

/**
 * Links what the signed-in person's own session began: a code that any page brings along would let whoever began link an account
 * of theirs to its visitor's (login CSRF; RFC 9700 §4.7).
 * @returns the linked identity @throws Problem INVALID_TOKEN for a spent code or one of another session, ALREADY_EXISTS
 */
export function linkWithCode(ctx: Ctx, code: string) {
  return transaction(ctx, async (tx) => link(tx, begunHere(tx, (await spendExchangeCode(tx, code, ['link'])).content)));
}

/**
 * Links what a sign-in at a provider asked a proof of the account for. Never for a token that a page's address brought: the
 * application got it in an answer, and its person wants it linked (AU-8).
 * @returns the linked identity @throws Problem INVALID_TOKEN for a spent token or one of another person, ALREADY_EXISTS
 */
export function linkWithToken(ctx: Ctx, linkToken: string) {
  return transaction(ctx, async (tx) =>
    link(tx, askedOf(tx, (await spendExchangeCode(tx, linkToken, ['link_token'])).content)),
  );
}

async function link(tx: TxCtx, identity: UpstreamIdentity) {
  const { userId } = customerOf(tx);
  const id = await linkIdentity(tx, userId, identity);
  await credentialChanged(tx, userId, 'identity_linked');
  const linked = (await listIdentities(tx, userId)).find((one) => one.id === id);
  if (!linked) throw problem('NOT_FOUND');
  return linked;
}

/** Where the signed-in person's browser begins to link an account at a provider. @throws Problem NOT_FOUND, VALIDATION_FAILED */
export async function linkingUrl(
  ctx: Ctx,
  { provider: key, redirectUri, clientId }: { provider: string; redirectUri: string; clientId: string | undefined },
): Promise<string> {
  const provider = await upstreamProvider(ctx, { by: 'key', value: key });
  await requireRedirectUri(ctx, clientId, redirectUri);
  const { userId, sessionId } = customerOf(ctx);
  const ticket = linkTicket.seal(ctx.system, { scope: ctx.scope, userId, sessionId, redirectUri });
  return `${await authAddressOf(ctx)}/v1/auth/login/social/${provider.key}/start?ticket=${encodeURIComponent(ticket)}`;
}
