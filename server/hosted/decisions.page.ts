import { hash } from 'node:crypto';
import { html } from 'hono/html';
import { Type } from 'typebox';
import { isFirstParty } from '#applications';
import { interactions } from '#oidc';
import { form, type Markup, type TextId } from '#pages';
import { type UserSummary, usersById } from '#people';
import type { Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { deadPage } from './dead.ts';
import { type Flow, finishFlow, goTo, show } from './flow.ts';
import { action } from './forms.ts';

/** The decisions of the user: whether an application may know who they are, and which account to use. */
export const decisionRoutes: Routes = [
  action('/consent', {
    back: '',
    fields: Type.Object({ decision: Type.Enum(['allow', 'deny']), shown: Type.String({ maxLength: 100 }) }),
    act: async (flow, { decision, shown }) => {
      const { request, reply, ctx, interaction } = flow;
      if (interaction.prompt !== 'consent' || !interaction.current)
        return deadPage(request, reply, problem('INVALID_TOKEN'));
      if (decision === 'deny') return finishFlow(flow, await interactions.refused({ request, reply }));
      if (shown !== digestOf(interaction)) return goTo(flow, '', flow.step);
      const { userId } = interaction.current;
      return finishFlow(flow, await interactions.allowed({ request, reply }, ctx, { ...interaction, userId }));
    },
  }),
  action('/cancel', {
    back: '',
    fields: Type.Object({}),
    act: async (flow) => finishFlow(flow, await interactions.refused(flow)),
  }),
  action('/continue', {
    back: '',
    fields: Type.Object({ as: Type.Enum(['current', 'another']) }),
    act: async (flow, { as }) =>
      as === 'current'
        ? finishFlow(flow, await interactions.picked(flow))
        : goTo(flow, '', { ...flow.step, another: true }),
  }),
];

const SCOPES: Readonly<Record<string, TextId>> = {
  openid: 'scope.openid',
  profile: 'scope.profile',
  email: 'scope.email',
  phone: 'scope.phone',
  roles: 'scope.roles',
  permissions: 'scope.permissions',
  organization: 'scope.organization',
  offline_access: 'scope.offline_access',
};

/** Asks whether a third-party application, or one on a device, may know who the user is. */
export async function consentPage(flow: Flow): Promise<Reply> {
  const { interaction, voice, place } = flow;
  const { say, project } = voice;
  const { application, asked } = interaction;
  const names = asked.scopes.flatMap((scope) => SCOPES[scope] ?? []);
  const own = isFirstParty(application);
  const intro = own
    ? say('consent.native', { application: application.name })
    : say('consent.intro', { application: application.name, project });
  const warning = own ? '' : strangerWarning(flow);
  const shown = html`<input type="hidden" name="shown" value="${digestOf(interaction)}">`;
  return show(flow, {
    title: say('consent.title'),
    body: html`<p class="parties" aria-hidden="true"><span class="monogram">${[...application.name][0] ?? ''}</span></p><p class="lead">${intro}</p>${warning}${await whoIsSignedIn(flow)}<p class="may">${say('consent.may', { application: application.name })}</p><ul class="scopes">${names.map((name) => html`<li>${say(name)}</li>`)}</ul>
${apiScopes(interaction)}${form(flow, '/consent', html`${shown}<button name="decision" value="allow">${say('consent.allow')}</button><button class="second" name="decision" value="deny">${say('consent.deny')}</button>`)}${returns(flow)}<form id="another" method="post" action="${place.base}/continue"><input type="hidden" name="as" value="another"></form>`,
  });
}

/** Whose account the application would reach, and the way to another one. */
async function whoIsSignedIn(flow: Flow): Promise<Markup | ''> {
  const { say } = flow.voice;
  const user = await currentUser(flow);
  if (!user) return '';
  const address = user.email ?? user.username ?? user.phone ?? '';
  const name = [user.displayName, address].filter(Boolean).join(' · ');
  return html`<p class="named"><span dir="auto">${say('consent.as', { name })}</span><button class="plain inline" form="another">${say('consent.notYou')}</button></p>`;
}

/** Where the browser goes afterwards; a device has no such place, and a stranger's stands in its warning. */
function returns({ interaction: { application, asked }, voice: { say } }: Flow): Markup | '' {
  if (asked.redirectUri === null || application.selfRegistered) return '';
  const { host, protocol } = new URL(asked.redirectUri);
  return html`<p class="after">${say('consent.returns', { host: host || protocol })}</p>`;
}

async function currentUser({ ctx, interaction: { current }, sample }: Flow): Promise<UserSummary | undefined> {
  if (sample) return sample;
  return current ? (await usersById(ctx, [current.userId])).get(current.userId) : undefined;
}

/** The scopes of APIs, in the words of the project. */
function apiScopes({ asked }: Flow['interaction']): Markup[] {
  const byApi = Map.groupBy(asked.apiScopes, ({ identifier }) => identifier);
  return [...byApi.values()].map(
    (scopes) =>
      html`<h2>${scopes[0]?.api ?? ''}</h2><ul class="scopes">${scopes.map(({ name, description }) => html`<li>${description || name}</li>`)}</ul>`,
  );
}

/** What the page asks for. Consent covers what the page showed, not what changed since. */
function digestOf({ asked: { scopes, apiScopes: ofApis } }: Flow['interaction']): string {
  return hash('sha256', JSON.stringify([scopes, ofApis]), 'base64url');
}

/** Warns that an application chose its own name (RFC 7591 §5; OA-12). */
function strangerWarning({ interaction, voice: { say, project } }: Flow): Markup {
  const { application, asked } = interaction;
  const target = asked.redirectUri === null ? null : new URL(asked.redirectUri);
  if (!application.selfRegistered || !target)
    return html`<p class="hint">${say('consent.unverified', { project })}</p>`;
  // A private-use URI scheme has no host (RFC 8252 §7.1).
  return html`<p class="fault">${say('consent.selfRegistered', { project, host: target.host || target.protocol })}</p>`;
}

/** Asks which account to use when the browser is already signed in. */
export async function pickerPage(flow: Flow): Promise<Reply> {
  const { say } = flow.voice;
  const user = await currentUser(flow);
  const name = user ? (user.displayName ?? user.email ?? user.username ?? user.phone ?? '') : '';
  return show(flow, {
    title: say('picker.title'),
    body: html`<p class="lead">${say('picker.intro')}</p>${form(
      flow,
      '/continue',
      html`<button class="second person" name="as" value="current"><span class="monogram" aria-hidden="true">${[...name][0] ?? ''}</span><span>${say('picker.as', { name })}<small>${user?.email ?? ''}</small></span></button><button class="plain" name="as" value="another">${say('picker.another')}</button>`,
    )}`,
  });
}
