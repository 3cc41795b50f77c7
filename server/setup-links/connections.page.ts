import { html } from 'hono/html';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Connection, connectionSetUp } from '#connections';
import type { Markup } from '#pages';
import type { Reply } from '#platform/http.ts';
import { newId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import type { Routes } from '#platform/route.ts';
import { configurationIn, connectingAs, countCall, Entered } from './connecting.ts';
import { action, page, Seen } from './forms.ts';
import { GUIDES, type GuideKey, guideKeys, steps } from './guides.ts';
import { change } from './setup-links.ts';
import { card, cardWithBack, hidden, row, rows, show, values } from './show.ts';
import { digestOf, form, goTo, requireSeen, type Visit } from './visit.ts';
import { changeByLink } from './visits.ts';

const MAX_LISTED = 100;

/** The connections of the organization, and the guide that adds one. */
export const connectionRoutes: Routes = [
  page('connection', '/connection', { look: connectionsPage }),
  page('connection', '/connection/new/:id', { list: '/connection', look: (visit, { id }) => guidePage(visit, id) }),
  action('connection', '/connection/new/:id', {
    fields: Type.Object({ seen: Seen, ...Entered.properties }),
    act: async (visit, { seen, ...sent }, { id }) => {
      const { kind } = GUIDES[guideOf(id)];
      const given = written({ name: sent.name, [kind]: configurationIn(kind, sent) });
      const { ctx, link } = visit;
      await countCall(visit);
      const prepared = await connectionSetUp.prepareNew(ctx, link.organization_id, given);
      const { id: connectionId } = await changeByLink(ctx, { link, task: 'connection' }, async (tx, held) => {
        requireSeen(seen, held.next_connection_id);
        await change(tx, held, { next_connection_id: newId('con', tx.now) });
        const may = connectingAs(held);
        return connectionSetUp.create(tx, held.organization_id, prepared, { id: held.next_connection_id, may });
      });
      return goTo(visit, `/connection/${connectionId}`, { notice: 'saved' });
    },
  }),
];

/** @throws Problem VALIDATION_FAILED */
function written(given: unknown) {
  if (!Value.Check(connectionSetUp.New, given)) throw problem('VALIDATION_FAILED');
  return given;
}

/** @throws Problem NOT_FOUND */
function guideOf(id: string | undefined): GuideKey {
  const key = guideKeys.find((known) => known === id);
  if (!key) throw problem('NOT_FOUND');
  return key;
}

/** Whether people sign in through a connection. */
export function tagOf({ voice: { say } }: Visit, { status, required }: Connection) {
  if (status === 'disabled') return { text: say('setup.state.off'), good: false };
  return { text: say(required ? 'setup.state.required' : 'setup.state.on'), good: true };
}

async function connectionsPage(visit: Visit): Promise<Reply> {
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const { items } = await connectionSetUp.list(ctx, link.organization_id, { limit: MAX_LISTED });
  const list = items.map((connection) =>
    row({
      title: connection.name,
      detail: connection.saml?.entityId ?? connection.oidc?.issuer ?? '',
      tag: tagOf(visit, connection),
      href: `/connection/${connection.id}`,
      way: say('setup.open'),
    }),
  );
  const offers = guideKeys.map((key) =>
    row({
      title: GUIDES[key].name,
      detail: GUIDES[key].kind === 'saml' ? 'SAML 2.0' : 'OpenID Connect',
      href: `/connection/new/${key}`,
      way: say('setup.connection.choose'),
    }),
  );
  return show(visit, {
    section: 'connection',
    title: say('setup.connection'),
    body: html`${list.length > 0 ? card(say('setup.connection'), rows(list)) : ''}${card(say('setup.connection.add'), html`<p class="lead">${say('setup.connection.intro')}</p>${rows(offers)}`)}`,
  });
}

async function guidePage(visit: Visit, id: string | undefined): Promise<Reply> {
  const key = guideOf(id);
  const { kind, name, steps: texts, values: valuesOf } = GUIDES[key];
  const { ctx, link, voice } = visit;
  const { say } = voice;
  const { entityId, callbackUrls, jwksUrl } = await connectionSetUp.serviceAddresses(ctx, link.next_connection_id);
  const [callbackUrl = '', ...others] = callbackUrls;
  const copied = [
    ...valuesOf({ entityId, callbackUrl, jwksUrl }),
    ...others.map((value) => ({ label: say('setup.connection.alsoAt'), value })),
  ];
  const nameField = html`<label>${say('setup.connection.name')}<input name="name" required maxlength="100" value="${name}" autocomplete="off"></label><p class="hint">${say('setup.connection.nameHint')}</p>`;
  return show(visit, {
    section: 'connection',
    title: name,
    body: html`${card(say('setup.connection.values'), html`<p class="lead">${say('setup.connection.valuesIntro', { provider: name })}</p>${values(copied)}${steps(visit, say('setup.connection.steps'), texts)}`)}${cardWithBack(
      visit,
      '/connection',
      form(
        visit,
        `/connection/new/${key}`,
        html`${hidden('seen', digestOf(link.next_connection_id))}${nameField}${configurationFields(visit, kind)}<button>${say('setup.connection.save')}</button>`,
      ),
    )}`,
  });
}

/** The fields for what the identity provider says about itself. */
export function configurationFields(
  { voice: { say } }: Visit,
  kind: 'saml' | 'oidc',
  known: Connection['oidc'] = null,
): Markup {
  if (kind === 'saml')
    return html`<label>${say('setup.saml.url')}<input type="url" name="metadataUrl" maxlength="2048" autocomplete="off"></label><p class="or">${say('setup.saml.or')}</p><label>${say('setup.saml.xml')}<textarea name="metadata" rows="6" maxlength="200000" spellcheck="false"></textarea></label>`;
  return html`<label>${say('setup.oidc.issuer')}<input type="url" name="issuer" required maxlength="2048" autocomplete="off" value="${known?.issuer ?? ''}"></label><label>${say('setup.oidc.clientId')}<input name="clientId" required maxlength="500" autocomplete="off" spellcheck="false" value="${known?.clientId ?? ''}"></label><label>${say('setup.oidc.authentication')}<select name="clientAuthentication"><option value="client_secret">${say('setup.oidc.clientSecret')}</option><option value="private_key_jwt"${known?.clientAuthentication === 'private_key_jwt' ? ' selected' : ''}>${say('setup.oidc.byKey')}</option></select></label><p class="hint">${say('setup.oidc.keyHint')}</p><label>${say('setup.oidc.clientSecret')}<input type="password" name="clientSecret" maxlength="10000" autocomplete="off"></label>`;
}
