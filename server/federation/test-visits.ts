import { html } from 'hono/html';
import { type ConnectionId, type ConnectionRef, connectionToTest, type UsableConnection } from '#connections';
import { renderPage, voiceOf } from '#pages';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply, Request } from '#platform/http.ts';
import { realmOfSecret } from '#requests';
import { sendAway } from './browser-visits.ts';
import { assertedBy, type CameBack, connectionParty } from './connections.ts';
import { outcomeOf, refusedOutcome, type TestOutcome } from './test-outcomes.ts';
import { connectionOfTest, keepOutcome, spendTicket, type TestSignInId } from './test-sign-ins.ts';
import { staleFlow } from './upstream-flows.ts';

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
  const place = { scope: ctx.scope, organizationId: connection.organizationId };
  const voice = await voiceOf({ system: ctx.system, in: place, languages: request.trace.languages });
  const { document, headers } = renderPage(voice, {
    title: voice.say('testSignIn.title'),
    body: html`<p class="done">${voice.say('testSignIn.done')}</p>`,
  });
  return reply.headers(headers).serializer(String).send(document);
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
