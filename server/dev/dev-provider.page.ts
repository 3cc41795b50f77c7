import formBody from '@fastify/formbody';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { html, sendPage } from '#platform/html.ts';
import type { App, Routes } from '#platform/http.ts';
import { Email } from '#platform/identifiers.ts';
import { DEV_PROVIDER_PATH, devProvider, subjectOf } from './dev-provider.ts';
import { consoleNav } from './start.page.ts';

const config = { permission: 'public' } as const;
const hidden = { hide: true } as const;
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

/** The pages of the development identity provider; everything else under its path is the protocol. */
export const devProviderRoutes: Routes = (app) => {
  app.register(async (scoped) => {
    await scoped.register(formBody);
    signInRoutes(scoped.withTypeProvider());
  });
  const answered = () => {
    throw new Error('unreachable: the provider has answered');
  };
  const hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    hand(app, request, reply).catch(done);
  };
  for (const method of ['GET', 'POST', 'OPTIONS'] as const)
    app.route({ method, url: `${DEV_PROVIDER_PATH}/*`, config, schema: hidden, onRequest: hook, handler: answered });
};

/** Hands a request to the provider before anybody reads its body, as if it were mounted at its path. */
async function hand(app: App, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { provider } = await devProvider(app.system);
  const { host, protocol } = new URL(app.system.config.addresses.console);
  const { raw } = request;
  raw.headers['host'] = host;
  raw.headers['x-forwarded-host'] = host;
  raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  Object.assign(raw, { originalUrl: raw.url, url: raw.url?.slice(DEV_PROVIDER_PATH.length) });
  reply.hijack();
  await provider.callback()(raw, reply.raw);
}

function signInRoutes(app: App): void {
  const { system } = app;

  app.get(
    `${DEV_PROVIDER_PATH}/sign-in/:uid`,
    { config, schema: { ...hidden, params: SignInRef } },
    async (request, reply) => {
      const { provider } = await devProvider(system);
      await provider.interactionDetails(request.raw, reply.raw);
      return sendPage(reply, {
        title: 'Dev provider',
        nav: consoleNav(system),
        leaves: true,
        body: page(request.params.uid),
      });
    },
  );

  app.post(
    `${DEV_PROVIDER_PATH}/sign-in/:uid`,
    { config, schema: { ...hidden, params: SignInRef, body: Claimed } },
    async (request, reply) => {
      const { provider, profiles } = await devProvider(system);
      const { email, name, verified, deny } = request.body;
      const sub = subjectOf(email);
      profiles.set(sub, { email, name: name || email, emailVerified: verified === 'yes' });
      const result = deny
        ? { error: 'access_denied', error_description: 'The person pressed Cancel.' }
        : { login: { accountId: sub } };
      const to = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
      return reply.redirect(to, 303);
    },
  );
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
