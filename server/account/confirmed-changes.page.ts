import { html } from 'hono/html';
import { Type } from 'typebox';
import { enabledProviders } from '#identity-providers';
import { listIdentities } from '#linked-identities';
import { deviceOf } from '#notices';
import { endOwnImpersonations, ownImpersonations, takeBack, usedApplications } from '#oidc';
import { form, pathOf, type TextId } from '#pages';
import { customerOf, transaction } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { FreshProof, Routes } from '#platform/route.ts';
import { removeDevice, removeIdentity, removeOwnFactor, removeOwnPasskey, securityOf } from '#self';
import { revokeSessions } from '#sessions';
import { action, idOf, page } from './forms.ts';
import { formCard, show } from './show.ts';
import { BASE, explain, goTo, type Visit } from './visit.ts';

type ConfirmedChange = {
  /** The address has the id of the item, because there are several. */
  one?: true;
  freshProof: FreshProof;
  section: '/security' | '/sessions';
  title: TextId;
  ask: TextId;
  /**
   * The name of the item.
   * @returns undefined if it does not exist
   */
  nameOf: (visit: Visit, id: string | undefined) => Promise<string | undefined>;
  run: (visit: Visit, id: string | undefined) => Promise<unknown>;
};

const factor = (type: 'totp' | 'phone', ask: TextId, name: TextId): ConfirmedChange => ({
  freshProof: 'second factor',
  section: '/security',
  title: 'account.remove',
  ask,
  nameOf: async ({ ctx, voice }) => {
    const { mfa } = await securityOf(ctx);
    return mfa.factors.some((own) => own.type === type) ? voice.say(name) : undefined;
  },
  run: ({ ctx }) => removeOwnFactor(ctx, type),
});

/** What a user can remove from the account; each removal asks for confirmation. */
const confirmedChanges: Readonly<Record<string, ConfirmedChange>> = {
  totp: factor('totp', 'account.askTotp', 'account.totp'),
  phone: factor('phone', 'account.askPhone', 'account.phoneFactor'),
  passkey: {
    one: true,
    freshProof: 'second factor',
    section: '/security',
    title: 'account.remove',
    ask: 'account.askPasskey',
    nameOf: async ({ ctx }, id) => (await securityOf(ctx)).passkeys.find((own) => own.id === id)?.name,
    run: ({ ctx }, id) => removeOwnPasskey(ctx, idOf('psk', id)),
  },
  identity: {
    one: true,
    freshProof: 'second factor',
    section: '/security',
    title: 'account.unlink',
    ask: 'account.askIdentity',
    nameOf: async ({ ctx, profile }, id) => {
      const identity = (await listIdentities(ctx, profile.userId)).find((own) => own.id === id);
      const provider = (await enabledProviders(ctx)).find((known) => known.id === identity?.provider);
      return identity && [provider?.name ?? identity.provider, identity.email].filter(Boolean).join(' · ');
    },
    run: ({ ctx }, id) => removeIdentity(ctx, idOf('idn', id)),
  },
  acting: {
    freshProof: 'any factor',
    section: '/security',
    title: 'account.endActing',
    ask: 'account.askActing',
    nameOf: async ({ ctx }) => ((await ownImpersonations(ctx)).length > 0 ? '' : undefined),
    run: ({ ctx }) => endOwnImpersonations(ctx),
  },
  session: {
    one: true,
    freshProof: 'any factor',
    section: '/sessions',
    title: 'logout.title',
    ask: 'account.askSession',
    nameOf: async ({ ctx }, id) => {
      const session = (await securityOf(ctx)).sessions.find((own) => own.id === id);
      return session && [deviceOf(session.userAgent), session.ip].filter(Boolean).join(' · ');
    },
    run: async ({ ctx, profile }, id) => {
      const only = idOf('ses', id);
      const ended = await transaction(ctx, (tx) => revokeSessions(tx, profile.userId, { only }, 'user'));
      if (ended === 0) throw problem('NOT_FOUND');
    },
  },
  others: {
    freshProof: 'any factor',
    section: '/sessions',
    title: 'account.endOthers',
    ask: 'account.askOthers',
    nameOf: async () => '',
    run: ({ ctx, profile }) =>
      transaction(ctx, (tx) => revokeSessions(tx, profile.userId, { except: customerOf(tx).sessionId }, 'user')),
  },
  device: {
    one: true,
    freshProof: 'second factor',
    section: '/sessions',
    title: 'account.remove',
    ask: 'account.askDevice',
    nameOf: async ({ ctx }, id) => {
      const device = (await securityOf(ctx)).rememberedDevices.find((own) => own.id === id);
      return device && deviceOf(device.userAgent);
    },
    run: ({ ctx }, id) => removeDevice(ctx, idOf('dev', id)),
  },
  application: {
    one: true,
    freshProof: 'any factor',
    section: '/sessions',
    title: 'account.remove',
    ask: 'account.askApplication',
    nameOf: async ({ ctx }, id) => (await usedApplications(ctx)).find(({ clientId }) => clientId === id)?.name,
    run: ({ ctx }, id) => takeBack(ctx, id ?? ''),
  },
};

/** Asks for confirmation before anything is removed. */
export const confirmedChangeRoutes: Routes = [
  ...Object.entries(confirmedChanges).flatMap(([what, change]) => {
    const { freshProof, section } = change;
    const path = `/remove/${what}${change.one ? '/:id' : ''}`;
    return [
      page(path, (visit, { id }) => askPage(visit, { change, id }), { freshProof }),
      action(path, {
        freshProof,
        fields: Type.Object({}),
        act: async (visit, _sent, { id }) => {
          try {
            await change.run(visit, id);
            return goTo(visit, section, { notice: 'saved' });
          } catch (error) {
            return explain(visit, section, error);
          }
        },
      }),
    ];
  }),
];

async function askPage(
  visit: Visit,
  { change, id }: { change: ConfirmedChange; id: string | undefined },
): Promise<Reply> {
  const { say } = visit.voice;
  const name = await change.nameOf(visit, id);
  if (name === undefined) return explain(visit, change.section, problem('NOT_FOUND'));
  const address = pathOf(visit.request).slice(BASE.length);
  return show(visit, {
    section: change.section,
    title: say(change.title),
    body: formCard(
      visit,
      change.section,
      html`${name ? html`<p><strong>${name}</strong></p>` : ''}<p>${say(change.ask)}</p>${form(visit, address, html`<button class="danger">${say(change.title)}</button>`)}`,
    ),
  });
}
