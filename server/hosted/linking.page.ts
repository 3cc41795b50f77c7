import { html } from 'hono/html';
import { Type } from 'typebox';
import { linkWithToken, lookAtLinkToken } from '#federation';
import { form } from '#pages';
import { usersById } from '#people';
import type { Ctx } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { requireFreshProof } from '#step-up';
import { type Flow, goOn, show } from './flow.ts';
import { action, page } from './forms.ts';
import { asSignedIn } from './signed-in.ts';

/**
 * The end of a sign-in that started with a provider's identity: the user has authenticated to the account, sees which
 * identity would be linked, and decides. Signing in alone links nothing, so nobody links an identity by accident.
 */
export const linkingRoutes: Routes = [
  page('/link', (flow) => orGoOn(flow, (ctx, token) => askPage(flow, ctx, token))),
  action('/link', {
    fields: Type.Object({ decision: Type.Enum(['link', 'skip']) }),
    act: (flow, { decision }) =>
      orGoOn(flow, async (ctx, token) => {
        if (decision === 'link') {
          await requireFreshProof(ctx, 'second factor');
          await linkWithToken(ctx, token);
        }
        return done(flow);
      }),
  }),
];

/** If the user signed in to another account than the address's, or too late, continues without linking. */
async function orGoOn(flow: Flow, work: (ctx: Ctx, token: string) => Promise<Reply>): Promise<Reply> {
  const { link, session } = flow.step;
  if (!link || !session) return done(flow);
  try {
    return await work(await asSignedIn(flow), link.code);
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    return done(flow);
  }
}

function done(flow: Flow): Reply {
  const { link: _asked, ...step } = flow.step;
  return goOn({ ...flow, step });
}

async function askPage(flow: Flow, ctx: Ctx, token: string): Promise<Reply> {
  const { provider: key, name } = await lookAtLinkToken(ctx, token);
  const provider = flow.step.provider ?? key;
  const userId = flow.step.session?.userId;
  const user = userId && (await usersById(ctx, [userId])).get(userId);
  const address = user ? (user.email ?? user.username ?? user.phone ?? '') : '';
  return linkPage(flow, { provider, name, address });
}

type Identity = { provider: string; name: string; address: string };

/** Asks whether an identity at a provider opens the account. */
export function linkPage(flow: Flow, { provider, name, address }: Identity): Reply {
  const { say } = flow.voice;
  return show(flow, {
    title: say('account.link', { provider }),
    body: html`<p class="lead">${say('link.ask', { provider, name, address })}</p>${form(flow, '/link', html`<button name="decision" value="link">${say('account.link', { provider })}</button><button class="second" name="decision" value="skip">${say('link.skip')}</button>`)}`,
  });
}
