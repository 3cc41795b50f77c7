import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { projectOf } from '#environments';
import { form, type Markup } from '#pages';
import { updateProfile } from '#people';
import type { Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { ProfileChanges } from '#platform/profile-fields.ts';
import type { Routes } from '#platform/route.ts';
import type { Language } from '#settings';
import { action, page } from './forms.ts';
import { card, row, show } from './show.ts';
import { goTo, type Visit } from './visit.ts';

const text = Type.Optional(Type.String({ maxLength: 200 }));
const address = Type.Optional(Type.String({ maxLength: 2_048 }));
const Fields = Type.Object({
  displayName: text,
  givenName: text,
  middleName: text,
  familyName: text,
  nickname: text,
  username: text,
  birthdate: text,
  gender: text,
  website: address,
  profile: address,
  locale: text,
  zoneinfo: text,
});
type Fields = Static<typeof Fields>;

/** The first page: profile and addresses. */
export const profileRoutes: Routes = [
  page('', profilePage),
  action('', {
    fields: Fields,
    act: async (visit, sent) => {
      const changes = changesOf(visit, sent);
      if (Object.keys(changes).length > 0) {
        if (!Value.Check(ProfileChanges, changes)) throw problem('VALIDATION_FAILED');
        await updateProfile(visit.ctx, visit.profile.userId, changes);
      }
      return goTo(visit, '', { notice: 'saved' });
    },
  }),
];

const NAMES = [
  'displayName',
  'givenName',
  'middleName',
  'familyName',
  'nickname',
  'username',
  'birthdate',
  'gender',
  'website',
  'profile',
  'locale',
  'zoneinfo',
] as const;

/** The changed fields of the profile; an empty field clears it. */
function changesOf({ profile }: Visit, sent: Fields): Record<string, string | null> {
  const typed = NAMES.flatMap((name) => {
    const value = sent[name]?.trim();
    return value === undefined || value === (profile[name] ?? '') ? [] : [[name, value || null] as const];
  });
  return Object.fromEntries(typed);
}

export async function profilePage(visit: Visit): Promise<Reply> {
  const { profile, voice } = visit;
  const { say } = voice;
  const { settings } = await projectOf(visit.ctx.system, visit.ctx.scope);
  const reach = (address: string | null, verified: boolean) =>
    address === null
      ? say('account.notSet')
      : html`<bdi>${address}</bdi>${verified ? '' : ` (${say('account.unverified')})`}`;
  const change = (kind: 'email' | 'phone', address: string | null, verified: boolean) => [
    ...(address === null || verified ? [] : [{ href: `/${kind}/confirm`, text: say('account.confirm') }]),
    { href: `/${kind}`, text: say(address === null ? 'account.add' : 'account.change') },
  ];
  return show(visit, {
    section: '',
    title: say('account.profile'),
    body: html`${card(
      say('account.contact'),
      html`<ul class="rows">${row({ title: say('email.label'), detail: reach(profile.email, profile.emailVerified), ways: change('email', profile.email, profile.emailVerified) })}${row({ title: say('phone.label'), detail: reach(profile.phone, profile.phoneVerified), ways: change('phone', profile.phone, profile.phoneVerified) })}</ul>`,
    )}<section class="card">${form(visit, '', profileFields(visit, settings.locales))}</section>`,
  });
}

function profileFields({ profile, voice: { say, language } }: Visit, languages: readonly Language[]): Markup {
  const field = (name: (typeof NAMES)[number], label: string, complete: string, type = 'text') =>
    html`<label>${label}<input type="${type}" name="${name}" value="${profile[name] ?? ''}" maxlength="${type === 'url' ? 2_048 : 200}" autocomplete="${complete}"></label>`;
  const options = (known: readonly string[], chosen: string | null, nameOf: (value: string) => string) => {
    const all = chosen === null || known.includes(chosen) ? known : [chosen, ...known];
    return html`<option value="">${say('account.notSet')}</option>${all.map((value) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${nameOf(value)}</option>`)}`;
  };
  return html`${field('displayName', say('profile.name'), 'name')}
<div class="pair">${field('givenName', say('account.givenName'), 'given-name')}${field('familyName', say('account.familyName'), 'family-name')}</div>
<div class="pair">${field('middleName', say('account.middleName'), 'additional-name')}${field('nickname', say('account.nickname'), 'nickname')}</div>
${field('username', say('account.username'), 'username')}
<div class="pair">${field('birthdate', say('account.birthdate'), 'bday', 'date')}${field('gender', say('account.gender'), 'sex')}</div>
${field('website', say('account.website'), 'url', 'url')}${field('profile', say('account.profilePage'), 'off', 'url')}
<label>${say('account.language')}<select name="locale" autocomplete="language">${options(languages, profile.locale, (value) => languageName(value, language))}</select></label>
<label>${say('account.zone')}<select name="zoneinfo">${options(Intl.supportedValuesOf('timeZone'), profile.zoneinfo, (zone) => zone.replaceAll('_', ' '))}</select></label>
<button>${say('account.save')}</button>`;
}

/** The name of a language in that language, or in the page's language if unknown. */
function languageName(tag: string, language: string): string {
  try {
    return new Intl.DisplayNames([tag, language], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
