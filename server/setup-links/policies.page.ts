import { html } from 'hono/html';
import { type Static, Type } from 'typebox';
import { projectOf } from '#environments';
import { getOrganizationPolicy, organizationSetUp } from '#organizations';
import type { Reply } from '#platform/http.ts';
import type { Routes } from '#platform/route.ts';
import { type Settings, SignInMethod, sessionLifetimes } from '#settings';
import { action, done, page, Seen } from './forms.ts';
import { card, hidden, show } from './show.ts';
import { digestOf, form, requireSeen, type Visit } from './visit.ts';
import { changeByLink } from './visits.ts';

type Policy = Awaited<ReturnType<typeof getOrganizationPolicy>>;

const Seconds = Type.String({ pattern: '^[0-9]{0,9}$' });
const Fields = Type.Object({
  seen: Seen,
  methods: Type.Optional(Type.Union([SignInMethod, Type.Array(SignInMethod, { maxItems: 20 })])),
  mfa: Type.Optional(Type.Literal('required')),
  idle: Seconds,
  absolute: Seconds,
  addresses: Type.String({ maxLength: 10_000 }),
});

/** The policy of the organization, which can only be stricter than the project's settings. */
export const policyRoutes: Routes = [
  page('policies', '/policies', { look: policiesPage }),
  action('policies', '/policies', {
    fields: Fields,
    act: async (visit, { seen, ...sent }) => {
      const { ctx, link } = visit;
      const { settings } = await projectOf(ctx.system, ctx.scope);
      await changeByLink(ctx, { link, task: 'policies' }, async (tx) => {
        requireSeen(seen, await getOrganizationPolicy(tx, link.organization_id));
        await organizationSetUp.changePolicy(tx, link.organization_id, policyIn(sent, settings));
      });
      return done(visit, '/policies');
    },
  }),
];

/** The policy that the form says: what it leaves open is the project's setting. */
function policyIn(sent: Omit<Static<typeof Fields>, 'seen'>, settings: Settings): Policy {
  const methods = [...new Set([sent.methods ?? []].flat())];
  const addresses = [...new Set(sent.addresses.split(/\s+/).filter((line) => line !== ''))];
  const all = settings.signInMethods.every((method) => methods.includes(method));
  return {
    signInMethods: methods.length === 0 || all ? null : methods,
    mfa: sent.mfa ?? null,
    sessionIdleSeconds: sent.idle === '' ? null : Number(sent.idle),
    sessionAbsoluteSeconds: sent.absolute === '' ? null : Number(sent.absolute),
    addresses: addresses.length === 0 ? null : addresses,
  };
}

const HOUR = 3_600;
const LIFETIMES = [900, HOUR, 8 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR];

async function policiesPage(visit: Visit): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say, project } = voice;
  const { settings } = await projectOf(ctx.system, ctx.scope);
  const policy = await getOrganizationPolicy(ctx, link.organization_id);
  const longest = sessionLifetimes(settings);
  const fields = html`${hidden('seen', digestOf(policy))}
<fieldset><legend>${say('setup.policy.methods')}</legend>${settings.signInMethods.map((method) => methodBox(visit, method, policy))}</fieldset>
${mfaBox(visit, policy, settings)}
<label>${say('setup.policy.idle')}${lifetimes(visit, { name: 'idle', own: policy.sessionIdleSeconds, longest: longest.idle })}</label>
<label>${say('setup.policy.absolute')}${lifetimes(visit, { name: 'absolute', own: policy.sessionAbsoluteSeconds, longest: longest.absolute })}</label>
<label>${say('setup.policy.addresses')}<textarea name="addresses" rows="4" maxlength="10000" spellcheck="false" placeholder="203.0.113.0/24">${(policy.addresses ?? []).join('\n')}</textarea></label><p class="hint">${say('setup.policy.addressesHint')}</p>`;
  return show(visit, {
    section: 'policies',
    title: say('setup.policies'),
    body: card(
      say('setup.policies'),
      html`<p class="lead">${say('setup.policy.intro', { project })}</p>${form(visit, '/policies', html`${fields}<button>${say('account.save')}</button>`)}`,
    ),
  });
}

function methodBox({ voice: { say } }: Visit, method: SignInMethod, { signInMethods }: Policy) {
  const checked = signInMethods === null || signInMethods.includes(method);
  return html`<label class="check"><input type="checkbox" name="methods" value="${method}"${checked ? ' checked' : ''}> ${say(`setup.method.${method}`)}</label>`;
}

/** Nothing to choose where the project requires a second factor. */
function mfaBox({ voice: { say } }: Visit, { mfa }: Policy, settings: Settings) {
  const fixed = settings.mfa === 'required';
  const checked = fixed || mfa === 'required';
  return html`${fixed && mfa === 'required' ? hidden('mfa', 'required') : ''}<label class="check"><input type="checkbox" name="mfa" value="required"${checked ? ' checked' : ''}${fixed ? ' disabled' : ''}> ${say('setup.policy.mfa')}</label>`;
}

type Lifetime = { name: string; own: number | null; longest: number };

function lifetimes({ voice: { say, language } }: Visit, { name, own, longest }: Lifetime) {
  const offered = [...new Set([...LIFETIMES, ...(own === null ? [] : [own])])]
    .filter((seconds) => seconds <= longest || seconds === own)
    .sort((a, b) => a - b);
  const options = offered.map(
    (seconds) =>
      html`<option value="${seconds}"${seconds === own ? ' selected' : ''}>${durationOf(language, seconds)}</option>`,
  );
  return html`<select name="${name}"><option value="">${say('setup.policy.same')}</option>${options}</select>`;
}

function durationOf(language: string, seconds: number): string {
  const [unit, size] =
    seconds % 86_400 === 0
      ? (['day', 86_400] as const)
      : seconds % HOUR === 0
        ? (['hour', HOUR] as const)
        : (['minute', 60] as const);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.round(seconds / size),
  );
}
