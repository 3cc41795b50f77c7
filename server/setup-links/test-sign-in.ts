import { html } from 'hono/html';
import type { Connection } from '#connections';
import { authAddressOf } from '#domains';
import { startTestSignIn, testSignIn } from '#federation';
import type { Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';
import { countCall } from './connecting.ts';
import { card, values } from './show.ts';
import { BASE, keepStep, type Visit } from './visit.ts';

type Ref = Parameters<typeof startTestSignIn>[1];
type Outcome = NonNullable<Awaited<ReturnType<typeof testSignIn>>['outcome']>;

/**
 * Sends the browser to the identity provider. From a frame it goes in a tab of its own, which has no visit, so it does not
 * come back to these pages.
 * @throws Problem RATE_LIMIT_EXCEEDED
 */
export async function startTest(visit: Visit, ref: Ref): Promise<Reply> {
  await countCall(visit);
  const page = `${await authAddressOf(visit.ctx)}${BASE}/connection/${ref.connectionId}`;
  const { id, url } = await startTestSignIn(visit.ctx, ref, visit.framedBy === null ? page : null);
  keepStep(visit, { test: { connectionId: ref.connectionId, id } });
  return visit.reply.redirect(url, 303);
}

/** The button of a test sign-in, and what came back from the last one of this browser. */
export async function testCard(
  visit: Visit,
  connection: Connection,
  formWith: (content: Markup) => Markup,
): Promise<Markup> {
  const { say } = visit.voice;
  const outcome = await outcomeIn(visit, connection);
  const target = visit.framedBy === null ? '' : html` formtarget="_blank"`;
  const start = html`<button name="do" value="test"${target}>${say('setup.test.start')}</button>`;
  const shown = outcome === undefined ? '' : outcome === null ? waiting(visit, connection) : explained(visit, outcome);
  return card(say('setup.test.title'), html`<p class="lead">${say('setup.test.intro')}</p>${formWith(start)}${shown}`);
}

/** @returns undefined without a test, null while it goes on */
async function outcomeIn(
  { ctx, step }: Visit,
  { id, organizationId }: Connection,
): Promise<Outcome | null | undefined> {
  if (step.test?.connectionId !== id) return undefined;
  try {
    return (await testSignIn(ctx, { organizationId, connectionId: id, testSignInId: step.test.id })).outcome;
  } catch (error) {
    if (error instanceof Problem && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function waiting({ voice: { say } }: Visit, { id }: Connection): Markup {
  return html`<p>${say('setup.test.waiting')} <a href="${BASE}/connection/${id}">${say('setup.test.look')}</a></p>`;
}

function explained({ voice: { say } }: Visit, outcome: Outcome): Markup {
  const { result, detail, subject, attributes, mapped } = outcome;
  const isRefused = result === 'refused';
  const lists = Object.entries(attributes).map(([label, texts]) => ({ label, value: texts.join(', ') }));
  const read = [
    ['email', mapped.email],
    ['givenName', mapped.givenName],
    ['familyName', mapped.familyName],
    ['displayName', mapped.displayName],
    ['groups', mapped.groups.join(', ')],
  ].flatMap(([label, value]) => (label && value ? [{ label, value }] : []));
  const told = [...(subject === null ? [] : [{ label: say('setup.test.subject'), value: subject }]), ...lists];
  return html`<p class="${isRefused ? 'fault' : 'done'}" role="status">${say(`setup.test.${result}`)}${detail === null ? '' : html` <span lang="en">${detail}</span>`}</p>
${told.length > 0 ? html`<h3>${say('setup.test.sent')}</h3>${values(told)}` : ''}${read.length > 0 ? html`<h3>${say('setup.test.read')}</h3>${values(read)}` : ''}`;
}
