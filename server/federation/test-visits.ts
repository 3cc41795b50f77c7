import { html } from 'hono/html';
import { type ConnectionId, type ConnectionRef, connectionToTest, type UsableConnection } from '#connections';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { realmOfSecret } from '#requests';
import { sendAway } from './browser-visits.ts';
import { sendPage } from './connection-pages.ts';
import { assertedBy, type CameBack, connectionParty, stillEnabled } from './connections.ts';
import { outcomeOf, refusedOutcome, type TestOutcome } from './test-outcomes.ts';
import { connectionOfTest, keepOutcome, spendTicket, type TestSignInId } from './test-sign-ins.ts';
import { type Away, staleFlow } from './upstream-flows.ts';

/** Sends the browser that opened the address of a test sign-in to the identity provider. */
export async function beginTest(
  request: Request,
  reply: Reply,
  { ticket, connectionId }: { ticket: string; connectionId: ConnectionId },
): Promise<Reply> {
  const realm = await realmOfSecret(request, ticket);
  const { ctx, id, organizationId, returnTo } = await spendTicket(realm, { ticket, connectionId });
  const connection = await connectionToTest(ctx, { organizationId, connectionId });
  const binding = { clientId: null, codeChallenge: null };
  const end = { redirectUri: returnTo ?? '', appState: null, binding, linkTo: null, testSignInId: id };
  const start = { ...end, loginHint: null };
  try {
    return reply.redirect(await sendAway(request, reply, { ctx, party: connectionParty(ctx, connection), start }), 303);
  } catch (fault) {
    return endTest(request, reply, { ctx, id, connection, outcome: refusedOutcome(fault), returnTo });
  }
}

/** The connection that a stored flow is for: while it is enabled, or of any status for a test. */
export async function connectionIn(
  ctx: Ctx,
  connectionId: ConnectionId,
  { testSignInId }: Away,
): Promise<UsableConnection | null> {
  if (testSignInId === undefined) return stillEnabled(ctx, connectionId);
  const ref = await connectionOfTest(ctx, testSignInId);
  return ref ? connectionToTest(ctx, ref) : null;
}

type Back = { back: CameBack; returned: URL; id: TestSignInId };

/** Explains what the browser of a test sign-in brought back. */
export async function finishTest(request: Request, reply: Reply, visit: Back): Promise<Reply> {
  const { id, back } = visit;
  const { ctx, away } = back;
  const ref = await connectionOfTest(ctx, id);
  if (!ref) throw staleFlow();
  const connection = await connectionToTest(ctx, ref);
  const outcome = await outcomeFor(request, visit, { ref, connection });
  return endTest(request, reply, { ctx, id, connection, outcome, returnTo: away.redirectUri || null });
}

type Ended = {
  ctx: Ctx;
  id: TestSignInId;
  connection: UsableConnection;
  outcome: TestOutcome;
  returnTo: string | null;
};

/** Keeps the outcome, and sends the browser to where the test sign-in was started. */
async function endTest(request: Request, reply: Reply, ended: Ended): Promise<Reply> {
  const { ctx, id, connection, outcome, returnTo } = ended;
  await keepOutcome(ctx, { id, connection }, outcome);
  if (returnTo !== null) return reply.redirect(returnTo, 303);
  return sendPage({ request, reply, ctx, connection }, (say) => ({
    title: say('testSignIn.title'),
    body: html`<p class="done">${say('testSignIn.done')}</p>`,
  }));
}

async function outcomeFor(
  request: Request,
  { back, returned }: Back,
  { ref, connection }: { ref: ConnectionRef; connection: UsableConnection },
): Promise<TestOutcome> {
  const { error, error_description: detail } = Object.fromEntries(returned.searchParams);
  if (error !== undefined) return refusedOutcome(new Error([error, detail].filter(Boolean).join(': ')));
  try {
    return await outcomeOf(back.ctx, ref, await assertedBy(back, connection, returned));
  } catch (fault) {
    request.log.warn({ err: fault, connectionId: connection.id }, 'a test sign-in was refused');
    return refusedOutcome(fault);
  }
}
