import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isConnection } from '#connections';
import { authAddressOf } from '#domains';
import { lookAtExchangeCode, requireRedirectUri, spendExchangeCode } from '#exchange';
import { upstreamProvider } from '#identity-providers';
import type { UpstreamIdentity } from '#linked-identities';
import { identityProven, linkIdentity, listIdentities } from '#linked-identities';
import { credentialChanged } from '#notices';
import { type Ctx, customerOf, type Scope, type TxCtx, transaction } from '#platform/ctx.ts';
import { IdSchema, type SessionId, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { Passage, requireMethod } from '#ways';
import { holdIssuer } from './connections.ts';
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
 * Carries a user's request to link an identity from the API host to the auth host's start page, encrypted in the
 * address. It links nothing by itself: finishing requires the session that started it.
 */
export const linkTicket = {
  seal(system: System, { scope, ...linking }: Linking): string {
    const until = system.clock.now().getTime() + TICKET_SECONDS * 1000;
    return system.keyring.seal(JSON.stringify({ ...scope, ...linking, until }), PURPOSE, PURPOSE);
  },

  /** @throws Problem INVALID_TOKEN for a forged or expired ticket */
  open(system: System, ticket: string): Linking {
    try {
      const { userId, sessionId, redirectUri, until, ...scope } = Value.Parse(
        Ticket,
        JSON.parse(system.keyring.open(ticket, PURPOSE, PURPOSE)),
      );
      if (until > system.clock.now().getTime()) return { scope, userId, sessionId, redirectUri };
    } catch {
      // The response is the same for every fault.
    }
    throw problem('INVALID_TOKEN');
  },
};

const NOT_YOURS = 'The linking was started in another session. Start it again here.';

/**
 * The content of a code whose linking the user's own session started.
 * @throws Problem INVALID_TOKEN
 */
function begunHere(ctx: Pick<Ctx, 'actor'>, content: unknown) {
  const { userId, sessionId } = customerOf(ctx);
  if (!Value.Check(UpstreamResult, content)) throw problem('INVALID_TOKEN', NOT_YOURS);
  const { identity, linkTo } = content;
  if (linkTo?.userId !== userId || linkTo.sessionId !== sessionId) throw problem('INVALID_TOKEN', NOT_YOURS);
  return identity;
}

/**
 * The content of a link token, if it names the signed-in user's account.
 * @throws Problem INVALID_TOKEN
 */
function askedOf(ctx: Pick<Ctx, 'actor'>, content: unknown) {
  const { userId } = customerOf(ctx);
  if (!Value.Check(AskedLink, content) || content.linkTo !== userId)
    throw problem('INVALID_TOKEN', 'The proof belongs to another account.');
  return content.identity;
}

/** An account at a provider, as its owner recognises it. */
type Named = { provider: string; name: string };

function named({ provider, email, name, subject }: UpstreamIdentity): Named {
  return { provider, name: email ?? name ?? subject };
}

/**
 * Shows what a code would link, for a page that asks first.
 * @throws Problem INVALID_TOKEN unless this session started it
 */
export async function lookAtLinking(ctx: Ctx, code: string): Promise<Named> {
  return named(begunHere(ctx, await lookAtExchangeCode(ctx, code, 'link')));
}

/**
 * {@link lookAtLinking} for a link token.
 * @throws Problem INVALID_TOKEN for another user's
 */
export async function lookAtLinkToken(ctx: Ctx, linkToken: string): Promise<Named> {
  return named(askedOf(ctx, await lookAtExchangeCode(ctx, linkToken, 'link_token')));
}

/**
 * Links an identity with a code whose linking the user's own session started. Otherwise an attacker's page could supply
 * a code and link the attacker's identity to the visitor's account (login CSRF; RFC 9700 §4.7).
 * @returns the linked identity
 * @throws Problem INVALID_TOKEN for a spent code or one of another session, METHOD_DISABLED, ALREADY_EXISTS
 */
export function linkWithCode(ctx: Ctx, code: string) {
  return transaction(ctx, async (tx) => link(tx, begunHere(tx, (await spendExchangeCode(tx, code, ['link'])).content)));
}

/**
 * Links an identity after the proof of the account that a sign-in at its provider required. Never pass a token from a
 * page's address: the application gets it in a response, and the user must have asked to link it (AU-8).
 * @returns the linked identity
 * @throws Problem INVALID_TOKEN for a spent token or one of another user, METHOD_DISABLED, ALREADY_EXISTS
 */
export function linkWithToken(ctx: Ctx, linkToken: string) {
  return transaction(ctx, async (tx) =>
    link(tx, askedOf(tx, (await spendExchangeCode(tx, linkToken, ['link_token'])).content)),
  );
}

async function link(tx: TxCtx, identity: UpstreamIdentity) {
  const { userId } = customerOf(tx);
  const way = await sourceOf(tx, identity);
  way.passed('credential', identity);
  way.end();
  const known = isConnection(identity.provider) ? await identityProven(tx, userId, identity) : undefined;
  const id = known ?? (await linkIdentity(tx, userId, identity, { proven: true }));
  if (known === undefined) await credentialChanged(tx, userId, 'identity_linked');
  const linked = (await listIdentities(tx, userId)).find((one) => one.id === id);
  if (!linked) throw problem('NOT_FOUND');
  return linked;
}

/** The identity comes from a provider of the project or a connection of an organization, which still is there. */
async function sourceOf(tx: TxCtx, { provider, issuer }: UpstreamIdentity): Promise<Passage> {
  if (isConnection(provider)) {
    const way = new Passage(tx, 'connection_linking');
    const source = { connectionId: provider, issuer };
    way.passed('connection', await holdIssuer(tx, source, async () => true));
    return way;
  }
  const way = new Passage(tx, 'linking');
  way.passed('method', await requireMethod(tx, 'social', provider));
  return way;
}

/**
 * The address where the user's browser starts to link an account at a provider.
 * @throws Problem NOT_FOUND, VALIDATION_FAILED
 */
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
