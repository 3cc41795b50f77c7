import { Type } from 'typebox';
import { html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { Email } from '#platform/identifiers.ts';
import { get, options, post, type Routes } from '#platform/route.ts';
import { DEV_PROVIDER_PATH, devProvider, subjectOf } from './dev-provider.ts';
import { consoleNav } from './start.page.ts';

const SignInRef = Type.Object({ uid: Type.String({ maxLength: 100 }) });
const Claimed = Type.Object(
  {
    email: Email,
    name: Type.String({ maxLength: 200 }),
    verified: Type.Optional(Type.Literal('yes')),
    deny: Type.Optional(Type.Literal('yes')),
  },
  { additionalProperties: false },
);

const development = { uncounted: 'it is served in development only' };
const protocol = { permission: 'public', onRequest: hand, handler: answered } as const;

/** The pages of the development identity provider. Everything else under its path is the protocol. */
export const devProviderRoutes: Routes = [
  get(`${DEV_PROVIDER_PATH}/sign-in/:uid`, {
    permission: 'public',
    params: SignInRef,
    handler: async (request, reply) => {
      const { system } = request.server;
      const { provider } = await devProvider(system);
      await provider.interactionDetails(request.raw, reply.raw);
      return sendPage(reply, {
        title: 'Dev provider',
        nav: consoleNav(system),
        leaves: true,
        body: page(request.params.uid),
      });
    },
  }),
  post(`${DEV_PROVIDER_PATH}/sign-in/:uid`, {
    permission: 'public',
    counted: development,
    params: SignInRef,
    body: Claimed,
    plugin: forms,
    handler: async (request, reply) => {
      const { provider, profiles } = await devProvider(request.server.system);
      const { email, name, verified, deny } = request.body;
      const sub = subjectOf(email);
      profiles.set(sub, { email, name: name || email, emailVerified: verified === 'yes' });
      const result = deny
        ? { error: 'access_denied', error_description: 'The person pressed Cancel.' }
        : { login: { accountId: sub } };
      const to = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
      return reply.redirect(to, 303);
    },
  }),
  get(`${DEV_PROVIDER_PATH}/*`, protocol),
  post(`${DEV_PROVIDER_PATH}/*`, { ...protocol, counted: development }),
  options(`${DEV_PROVIDER_PATH}/*`, protocol),
];

function answered(): never {
  throw new Error('unreachable: the provider has responded');
}

/** Passes a request to the provider before the body is parsed, as if the provider were mounted at its path. */
function hand(request: Request, reply: Reply, done: (error?: Error) => void): void {
  const { system } = request.server;
  devProvider(system)
    .then(({ provider }) => {
      const { host, protocol: scheme } = new URL(system.config.addresses.console);
      const { raw } = request;
      raw.headers['host'] = host;
      raw.headers['x-forwarded-host'] = host;
      raw.headers['x-forwarded-proto'] = scheme.slice(0, -1);
      Object.assign(raw, { originalUrl: raw.url, url: raw.url?.slice(DEV_PROVIDER_PATH.length) });
      reply.hijack();
      return provider.callback()(raw, reply.raw);
    })
    .catch(done);
}

function page(uid: string) {
  return html`<section class="card narrow"><h1>Who are you?</h1>
<p class="soft">This identity provider exists in development mode only. It believes whatever you say, so that sign-in through a provider can be tried without one.</p>
<form class="stack" method="post" action="${DEV_PROVIDER_PATH}/sign-in/${uid}">
<label>Email address<input type="email" name="email" value="ada@example.com" required autocomplete="off"></label>
<label>Name<input name="name" value="Ada Lovelace" autocomplete="off"></label>
<label class="check"><span><input type="checkbox" name="verified" value="yes" checked> The provider has verified the address</span></label>
<button>Continue</button><button class="plain" name="deny" value="yes">Cancel</button></form></section>`;
}
