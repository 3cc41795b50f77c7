import { html } from 'hono/html';
import { Type } from 'typebox';
import { enabledProviders } from '#applications';
import { deviceOf, forgetDevice, removeIdentity, removeOwnFactor, removeOwnPasskey, securityOf } from '#auth';
import { listIdentities } from '#identity';
import { takeBack, usedApplications } from '#oidc';
import type { TextId } from '#pages';
import { customerOf, transaction } from '#platform/ctx.ts';
import type { App, Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import { revokeSessions } from '#sessions';
import { action, idOf, type Named, page } from './forms.ts';
import { form, formCard, show } from './show.ts';
import { explain, goTo, type Visit } from './visit.ts';

type Removal = {
  section: '/security' | '/sessions';
  title: TextId;
  ask: TextId;
  /** What it is called. @returns undefined when it is not there */
  nameOf: (visit: Visit, id: string | undefined) => Promise<string | undefined>;
  run: (visit: Visit, id: string | undefined) => Promise<unknown>;
};

const factor = (type: 'totp' | 'phone', ask: TextId, name: TextId): Removal => ({
  section: '/security',
  title: 'account.remove',
  ask,
  nameOf: async ({ ctx, voice }) => {
    const { mfa } = await securityOf(ctx);
    return mfa.factors.some((own) => own.type === type) ? voice.say(name) : undefined;
  },
  run: ({ ctx }) => removeOwnFactor(ctx, type),
});

/** What a person can take away from the account; each is asked for once more. */
const removals: Readonly<Record<string, Removal>> = {
  totp: factor('totp', 'account.askTotp', 'account.totp'),
  phone: factor('phone', 'account.askPhone', 'account.phoneFactor'),
  passkey: {
    section: '/security',
    title: 'account.remove',
    ask: 'account.askPasskey',
    nameOf: async ({ ctx }, id) => (await securityOf(ctx)).passkeys.find((own) => own.id === id)?.name,
    run: ({ ctx }, id) => removeOwnPasskey(ctx, idOf('psk', id)),
  },
  identity: {
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
  session: {
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
    section: '/sessions',
    title: 'account.endOthers',
    ask: 'account.askOthers',
    nameOf: async () => '',
    run: ({ ctx, profile }) =>
      transaction(ctx, (tx) => revokeSessions(tx, profile.userId, { except: customerOf(ctx).sessionId }, 'user')),
  },
  device: {
    section: '/sessions',
    title: 'account.remove',
    ask: 'account.askDevice',
    nameOf: async ({ ctx }, id) => {
      const device = (await securityOf(ctx)).rememberedDevices.find((own) => own.id === id);
      return device && deviceOf(device.userAgent);
    },
    run: ({ ctx }, id) => forgetDevice(ctx, idOf('dev', id)),
  },
  application: {
    section: '/sessions',
    title: 'account.remove',
    ask: 'account.askApplication',
    nameOf: async ({ ctx }, id) => (await usedApplications(ctx)).find(({ clientId }) => clientId === id)?.name,
    run: ({ ctx }, id) => takeBack(ctx, id ?? ''),
  },
};

const recent = true;

/** Asks once more before anything is taken away, and by who signed in a moment ago only. */
export function removalRoutes(app: App): void {
  for (const path of ['/remove/:what', '/remove/:what/:id']) {
    page(app, path, askPage, { recent });
    action(app, path, {
      recent,
      fields: Type.Object({}),
      act: async (visit, _sent, { what, id }) => {
        const removal = removalOf(what);
        try {
          await removal.run(visit, id);
          return goTo(visit, removal.section, { notice: 'saved' });
        } catch (error) {
          return explain(visit, removal.section, error);
        }
      },
    });
  }
}

/** @throws Problem NOT_FOUND */
function removalOf(what: string | undefined): Removal {
  const removal = Object.hasOwn(removals, what ?? '') ? removals[what ?? ''] : undefined;
  if (!removal) throw problem('NOT_FOUND');
  return removal;
}

async function askPage(visit: Visit, { what, id }: Named): Promise<Reply> {
  const { say } = visit.voice;
  const removal = removalOf(what);
  const name = await removal.nameOf(visit, id);
  if (name === undefined) return explain(visit, removal.section, problem('NOT_FOUND'));
  const address = ['/remove', what, ...(id === undefined ? [] : [id])].join('/');
  return show(visit, {
    section: removal.section,
    title: say(removal.title),
    body: formCard(
      visit,
      removal.section,
      html`${name ? html`<p><strong>${name}</strong></p>` : ''}<p>${say(removal.ask)}</p>${form(address, html`<button class="danger">${say(removal.title)}</button>`)}`,
    ),
  });
}
