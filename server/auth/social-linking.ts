import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { upstreamProvider } from '#applications';
import { listIdentities } from '#identity';
import { type Ctx, customerOf, type Scope, transaction } from '#platform/ctx.ts';
import { IdSchema, type UserId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import { authAddressOf } from '#tenancy';
import { spendExchangeCode } from './exchange-codes.ts';
import { requireRedirectUri } from './redirects.ts';
import { linkUpstream } from './social.ts';

const PURPOSE = 'link-ticket';
const TICKET_SECONDS = 600;

const Ticket = Type.Object({
  workspaceId: IdSchema('wrk'),
  projectId: IdSchema('prj'),
  environment: Type.Enum(['test', 'production']),
  userId: IdSchema('usr'),
  redirectUri: Type.String(),
  /** Milliseconds since the epoch. */
  until: Type.Integer(),
});

type Linking = { scope: Scope; userId: UserId; redirectUri: string };

/**
 * Carries a signed-in person's wish to link from the API host to the auth host's start page, encrypted in the address. By
 * itself it links nothing: whoever comes back needs the same person's session to finish.
 */
export const linkTicket = {
  seal(system: System, { scope, userId, redirectUri }: Linking): string {
    const until = system.clock.now().getTime() + TICKET_SECONDS * 1000;
    return system.keyring.seal(JSON.stringify({ ...scope, userId, redirectUri, until }), PURPOSE, PURPOSE);
  },

  /** @throws Problem INVALID_TOKEN for one that was not made here, or is too old */
  open(system: System, ticket: string): Linking {
    try {
      const { userId, redirectUri, until, ...scope } = Value.Parse(
        Ticket,
        JSON.parse(system.keyring.open(ticket, PURPOSE, PURPOSE)),
      );
      if (until > system.clock.now().getTime()) return { scope, userId, redirectUri };
    } catch {
      // Whatever is wrong with it, the answer is the same.
    }
    throw problem('INVALID_TOKEN');
  },
};

/**
 * Links what a code of a provider's sign-in stands for to a person who has proven the account.
 * @returns the linked identity @throws Problem INVALID_TOKEN for a spent code or one of another person, ALREADY_EXISTS
 */
export function linkWithCode(ctx: Ctx, userId: UserId, code: string) {
  return transaction(ctx, async (tx) => {
    const { content } = await spendExchangeCode(tx, code, ['link']);
    const id = await linkUpstream(tx, userId, content);
    const linked = (await listIdentities(tx, userId)).find((identity) => identity.id === id);
    if (!linked) throw problem('NOT_FOUND');
    return linked;
  });
}

/** Where the signed-in person's browser begins to link an account at a provider. @throws Problem NOT_FOUND, VALIDATION_FAILED */
export async function linkingUrl(
  ctx: Ctx,
  { provider: key, redirectUri, clientId }: { provider: string; redirectUri: string; clientId: string | undefined },
): Promise<string> {
  const provider = await upstreamProvider(ctx, { by: 'key', value: key });
  await requireRedirectUri(ctx, clientId, redirectUri);
  const ticket = linkTicket.seal(ctx.system, { scope: ctx.scope, userId: customerOf(ctx).userId, redirectUri });
  return `${await authAddressOf(ctx)}/v1/auth/login/social/${provider.key}/start?ticket=${encodeURIComponent(ticket)}`;
}
