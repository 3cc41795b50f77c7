import { html } from 'hono/html';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Connection, type ConnectionId, connectionSetUp, getConnection } from '#connections';
import type { Markup } from '#pages';
import type { TxCtx } from '#platform/ctx.ts';
import type { Reply } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { configurationIn, connectingAs, countCall, Entered } from './connecting.ts';
import { configurationFields, tagOf } from './connections.page.ts';
import { action, done, idOf, page, Seen } from './forms.ts';
import { button, card, cardWithBack, dateOf, hidden, show, values } from './show.ts';
import { startTest, testCard } from './test-sign-in.ts';
import { digestOf, form, requireSeen, type Visit } from './visit.ts';
import { changeByLink } from './visits.ts';

/** One connection of the organization. */
export const oneConnectionRoutes: Routes = [
  page('connection', '/connection/:id', { list: '/connection', look: (visit, { id }) => connectionPage(visit, id) }),
  action('connection', '/connection/:id', {
    fields: Type.Object({
      do: Type.Enum(['enable', 'disable', 'require', 'release', 'join', 'invite', 'remove', 'test']),
      seen: Seen,
    }),
    act: async (visit, { do: does, seen }, { id }) => {
      const ref = refOf(visit, idOf('con', id));
      if (does === 'test') return startTest(visit, ref);
      if (does === 'remove') {
        await changeSeen(visit, { ref, seen }, (tx) =>
          connectionSetUp.delete(tx, ref, { may: connectingAs(visit.link) }),
        );
        return done(visit, '/connection');
      }
      return update(visit, { ref, seen }, CHANGES[does]);
    },
  }),
  page('connection', '/connection/:id/settings', {
    list: '/connection',
    look: (visit, { id }) => settingsPage(visit, id),
  }),
  action('connection', '/connection/:id/settings', {
    fields: Type.Object({ seen: Seen, ...Entered.properties }),
    act: async (visit, { seen, ...sent }, { id }) => {
      const ref = refOf(visit, idOf('con', id));
      const { kind } = await getConnection(visit.ctx, ref);
      const configuration = configurationIn(kind, sent);
      const given = Object.keys(configuration).length > 0 ? { [kind]: configuration } : {};
      await countCall(visit);
      return update(visit, { ref, seen }, { name: sent.name, ...given });
    },
  }),
];

const CHANGES = {
  enable: { status: 'enabled' },
  disable: { status: 'disabled' },
  require: { required: true },
  release: { required: false },
  join: { justInTime: true },
  invite: { justInTime: false },
} as const;

type Ref = { organizationId: Visit['link']['organization_id']; connectionId: ConnectionId };
type Chosen = { ref: Ref; seen: string };

function refOf({ link }: Visit, connectionId: ConnectionId): Ref {
  return { organizationId: link.organization_id, connectionId };
}

async function update(visit: Visit, chosen: Chosen, changes: object): Promise<Reply> {
  if (!Value.Check(connectionSetUp.Changes, changes)) throw problem('VALIDATION_FAILED');
  const { ref } = chosen;
  const prepared = await connectionSetUp.prepareChanges(visit.ctx, ref, changes);
  await changeSeen(visit, chosen, (tx) => connectionSetUp.update(tx, ref, prepared, { may: connectingAs(visit.link) }));
  return done(visit, `/connection/${ref.connectionId}`);
}

/** @throws Problem CONFLICT if the connection changed since its form was shown */
async function changeSeen(
  { ctx, link }: Visit,
  { ref, seen }: Chosen,
  work: (tx: TxCtx) => Promise<unknown>,
): Promise<void> {
  await changeByLink(ctx, { link, task: 'connection' }, async (tx) => {
    requireSeen(seen, await getConnection(tx, ref));
    await work(tx);
  });
}

async function connectionPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { say } = visit.voice;
  const connection = await getConnection(visit.ctx, refOf(visit, idOf('con', id)));
  const tag = tagOf(visit, connection);
  return show(visit, {
    section: 'connection',
    title: connection.name,
    // The form of the test leads to the identity provider.
    leaves: true,
    body: html`${card(say('setup.connection.provider'), html`<p class="lead"><span class="tag${tag.good ? ' good' : ''}">${tag.text}</span></p>${values(factsOf(visit, connection))}${metadataFault(visit, connection)}<div class="actions"><a class="button second" href="/setup/connection/${connection.id}/settings">${say('account.change')}</a></div>`)}
${await testCard(visit, connection, (content) => formOf(visit, connection, content))}
${card(say('setup.connection.use'), useForms(visit, connection))}
${cardWithBack(visit, '/connection', formOf(visit, connection, html`<p class="lead">${say('setup.connection.removeIntro')}</p>${button('remove', say('setup.remove'), 'second')}`))}`,
  });
}

function factsOf({ voice: { say } }: Visit, { saml, oidc, callbackUrl }: Connection) {
  return [
    ...(saml ? [{ label: say('setup.connection.theirs'), value: saml.entityId }] : []),
    ...(oidc ? [{ label: say('setup.oidc.issuer'), value: oidc.issuer }] : []),
    ...(oidc ? [{ label: say('setup.oidc.clientId'), value: oidc.clientId }] : []),
    ...(oidc?.jwksUrl ? [{ label: 'JWKS URL', value: oidc.jwksUrl }] : []),
    ...(saml ? [{ label: say('setup.connection.ours'), value: saml.serviceProvider.entityId }] : []),
    { label: 'ACS URL, Redirect URI', value: callbackUrl },
  ];
}

function metadataFault(visit: Visit, { saml }: Connection): Markup | '' {
  if (!saml?.metadataFault) return '';
  const date = dateOf(visit, saml.metadataReadAt);
  return html`<p class="fault">${visit.voice.say('setup.saml.fault', { date })} <span lang="en">${saml.metadataFault}</span></p>`;
}

function formOf(visit: Visit, connection: Connection, content: Markup): Markup {
  return form(visit, `/connection/${connection.id}`, html`${hidden('seen', digestOf(connection))}${content}`);
}

/** Switches: each says what is the case, and what its button changes. */
function useForms(visit: Visit, connection: Connection): Markup {
  const { say } = visit.voice;
  const { status, required, justInTime } = connection;
  const isOn = status === 'enabled';
  const part = (text: string, change: Markup) => formOf(visit, connection, html`<p>${text}</p>${change}`);
  return html`${part(
    say(isOn ? 'setup.use.isOn' : 'setup.use.isOff'),
    isOn ? button('disable', say('setup.use.switchOff'), 'second') : button('enable', say('setup.use.switchOn')),
  )}${part(
    say(justInTime ? 'setup.use.joins' : 'setup.use.membersOnly'),
    justInTime
      ? button('invite', say('setup.use.stopJoining'), 'second')
      : button('join', say('setup.use.letJoin'), 'second'),
  )}${part(
    say(required ? 'setup.use.isRequired' : 'setup.use.isOptional'),
    required
      ? button('release', say('setup.use.release'), 'second')
      : button('require', say('setup.use.require'), 'second'),
  )}`;
}

async function settingsPage(visit: Visit, id: string | undefined): Promise<Reply> {
  const { say } = visit.voice;
  const connection = await getConnection(visit.ctx, refOf(visit, idOf('con', id)));
  const { kind, name } = connection;
  const path = `/connection/${connection.id}`;
  const fields = html`${hidden('seen', digestOf(connection))}<label>${say('setup.connection.name')}<input name="name" required maxlength="100" value="${name}" autocomplete="off"></label><p class="hint">${say('setup.connection.keepHint')}</p>${configurationFields(visit, kind, connection.oidc)}<button>${say('account.save')}</button>`;
  return show(visit, {
    section: 'connection',
    title: name,
    body: cardWithBack(visit, path, form(visit, `${path}/settings`, fields)),
  });
}
