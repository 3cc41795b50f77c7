import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { connectionNames, isConnection } from '#connections';
import { passwordField } from '#hosted';
import { enabledProviders } from '#identity-providers';
import { listIdentities } from '#linked-identities';
import { ownImpersonations } from '#oidc';
import { form, type Markup } from '#pages';
import { minimumLength, Password } from '#passwords';
import { type UserSummary, usersById } from '#people';
import type { Reply } from '#platform/http.ts';
import { IdSchema } from '#platform/ids.ts';
import type { Routes } from '#platform/route.ts';
import { changeOwnPassword, securityOf } from '#self';
import { action, page } from './forms.ts';
import { card, dateOf, formCard, row, show } from './show.ts';
import { BASE, goTo, type Visit } from './visit.ts';

type Security = Awaited<ReturnType<typeof securityOf>>;
const freshProof = 'second factor';
const UserId = IdSchema('usr');

const PasswordForm = Type.Object({ current: Type.Optional(Password), password: Password });

/** The user's credentials. */
export const securityRoutes: Routes = [
  page('/security', securityPage),
  page('/password', passwordPage, { freshProof }),
  action('/password', {
    freshProof,
    fields: PasswordForm,
    act: async (visit, { current, password }: Static<typeof PasswordForm>) => {
      await changeOwnPassword(visit.ctx, {
        newPassword: password,
        ...(current !== undefined && { currentPassword: current }),
      });
      return goTo(visit, '/security', { notice: 'saved' });
    },
  }),
];

export async function securityPage(visit: Visit): Promise<Reply> {
  const { voice, settings } = visit;
  const security = visit.sample?.security ?? (await securityOf(visit.ctx));
  const passwords = settings.signInMethods.includes('password') || security.hasPassword;
  const passkeys = settings.signInMethods.includes('passkey') || security.passkeys.length > 0;
  return show(visit, {
    section: '/security',
    title: voice.say('account.security'),
    leaves: true,
    body: html`${await actingCard(visit)}${passwords ? passwordCard(visit, security) : ''}${passkeys ? passkeyCard(visit, security) : ''}${secondFactorCard(visit, security)}${await linkedCard(visit)}`,
  });
}

/** Who acts as the user. */
async function actingCard(visit: Visit): Promise<Markup | ''> {
  const { say, project } = visit.voice;
  const impersonations = await ownImpersonations(visit.ctx);
  if (impersonations.length === 0) return '';
  // The names of operators and applications are not shown here.
  const members = impersonations.flatMap(({ supporterId }) => (Value.Check(UserId, supporterId) ? [supporterId] : []));
  const supporters: ReadonlyMap<string, UserSummary> = await usersById(visit.ctx, members);
  const rows = impersonations.map(({ supporterId, reason, since, endsAt }) =>
    row({
      title: supporters.get(supporterId)?.displayName ?? say('account.actingMember', { project }),
      detail: [
        say('account.actingSince', { date: dateOf(visit, since) }),
        say('account.actingUntil', { date: dateOf(visit, endsAt) }),
        say('account.actingReason', { reason }),
      ].join(' · '),
      ways: [],
    }),
  );
  return card(
    say('account.acting'),
    html`<p class="lead">${say('account.actingIntro', { project })}</p><ul class="rows">${rows}</ul><div class="actions"><a class="button second" href="${BASE}/remove/acting">${say('account.endActing')}</a></div>`,
  );
}

function passwordCard(visit: Visit, { hasPassword, passwordChangedAt }: Security): Markup {
  const { say } = visit.voice;
  const detail = passwordChangedAt
    ? say('account.changedOn', { date: dateOf(visit, passwordChangedAt) })
    : say('account.notSet');
  const ways = [{ href: '/password', text: say(hasPassword ? 'account.change' : 'account.add') }];
  return html`<section class="card"><ul class="rows">${row({ title: say('password.label'), detail, ways })}</ul></section>`;
}

function passkeyCard(visit: Visit, { passkeys }: Security): Markup {
  const { say } = visit.voice;
  const rows = passkeys.map(({ id, name, synced, createdAt, lastUsedAt }) =>
    row({
      title: name,
      tag: synced ? html`<span class="tag">${say('account.passkeySynced')}</span>` : '',
      detail: [
        say('account.addedOn', { date: dateOf(visit, createdAt) }),
        ...(lastUsedAt ? [say('account.lastUsed', { date: dateOf(visit, lastUsedAt) })] : []),
      ].join(', '),
      ways: [
        { href: `/passkeys/${id}`, text: say('account.change') },
        { href: `/remove/passkey/${id}`, text: say('account.remove') },
      ],
    }),
  );
  return card(
    say('account.passkeys'),
    html`<p class="lead">${say('account.passkeyIntro')}</p>${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p>${say('account.noPasskeys')}</p>`}<div class="actions"><a class="button second" href="${BASE}/passkeys/new">${say('account.addPasskey')}</a></div>`,
  );
}

/** Second factors, if the project requires one or the user has set one up. */
function secondFactorCard(visit: Visit, { mfa, recoveryCodesLeft }: Security): Markup | '' {
  const { voice, settings } = visit;
  const { say } = voice;
  const rows = (['totp', 'phone'] as const).flatMap((type) => {
    const factor = mfa.factors.find((own) => own.type === type);
    const offered = settings.mfa !== 'off' && settings.mfaFactors.includes(type);
    if (!factor && !offered) return [];
    const detail = factor
      ? [factor.hint, say('account.addedOn', { date: dateOf(visit, factor.createdAt) })].filter(Boolean).join(', ')
      : say('account.notSet');
    const set = { href: type === 'totp' ? '/authenticator' : '/phone-factor', text: say('account.setUp') };
    const remove = { href: `/remove/${type}`, text: say('account.remove') };
    const title = say(type === 'totp' ? 'account.totp' : 'account.phoneFactor');
    return [row({ title, detail, ways: [factor ? remove : set] })];
  });
  const codes = row({
    title: say('mfa.recoveryCodes'),
    detail: say('account.recoveryLeft', { count: recoveryCodesLeft }),
    ways: [{ href: '/recovery-codes/new', text: say('account.newCodes') }],
  });
  if (rows.length === 0 && !mfa.enabled) return '';
  return card(
    say('account.mfa'),
    html`<p class="lead">${say(mfa.enabled ? 'account.mfaOn' : 'account.mfaOff')}</p><ul class="rows">${rows}${mfa.enabled ? codes : ''}</ul>`,
  );
}

async function linkedCard(visit: Visit): Promise<Markup | ''> {
  const { ctx, profile, settings } = visit;
  const { say } = visit.voice;
  const [identities, offered] = await Promise.all([listIdentities(ctx, profile.userId), enabledProviders(ctx)]);
  const open = settings.signInMethods.includes('social') ? offered : [];
  if (identities.length === 0 && open.length === 0) return '';
  const connections = await connectionNames(ctx, identities.map(({ provider }) => provider).filter(isConnection));
  const rows = identities.map(({ id, provider, email }) =>
    row({
      title: connections.get(provider) ?? offered.find((known) => known.id === provider)?.name ?? provider,
      detail: email ?? '',
      // The organization of a connection manages the account.
      ways: connections.has(provider) ? [] : [{ href: `/remove/identity/${id}`, text: say('account.unlink') }],
    }),
  );
  const buttons = open.map(({ id, name }) =>
    form(
      visit,
      '/link',
      html`<input type="hidden" name="provider" value="${id}"><button class="second">${say('account.link', { provider: name })}</button>`,
    ),
  );
  return card(
    say('account.linked'),
    html`${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : ''}${buttons.length > 0 ? html`<div class="actions">${buttons}</div>` : ''}`,
  );
}

export async function passwordPage(visit: Visit): Promise<Reply> {
  const { voice, ctx, profile, settings } = visit;
  const { say } = voice;
  const { hasPassword } = visit.sample?.security ?? (await securityOf(ctx));
  const length = minimumLength(settings);
  const current = passwordField(say, { label: say('account.currentPassword'), kind: 'current', name: 'current' });
  return show(visit, {
    section: '/security',
    title: say('password.new'),
    script: true,
    body: formCard(
      visit,
      '/security',
      html`<p class="lead">${say('account.passwordIntro')}</p>${form(visit, '/password', html`<input type="text" value="${profile.email ?? profile.username ?? ''}" autocomplete="username" hidden readonly>${hasPassword ? current : ''}${passwordField(say, { label: say('password.new'), kind: 'new', length })}<button>${say('account.save')}</button>`)}`,
    ),
  });
}
