import formBody from '@fastify/formbody';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { setSessionCookies } from '#auth';
import { Password } from '#identity';
import { type Html, html, sendPage } from '#platform/html.ts';
import { type App, addressOf, type Request, type Routes } from '#platform/http.ts';
import { Problem, problem } from '#platform/problem.ts';
import { type LinkKind, linkKinds, links } from './mailed-links.ts';

const LinkRef = Type.Object({ kind: Type.Enum(linkKinds) });
const Token = Type.String({ minLength: 1, maxLength: 200 });
const LinkForm = Type.Object(
  { token: Token, password: Type.Optional(Password), displayName: Type.Optional(Type.String({ maxLength: 200 })) },
  { additionalProperties: false },
);
const hidden = { hide: true } as const;

/**
 * The pages that mailed links open. Looking changes nothing, so mail scanners can't use a link up; the person sees what is
 * being approved and for whom, and a click (a POST) does it. No cookie is read: the link itself is the proof.
 */
export const mailedLinkRoutes: Routes = (app) => {
  // Forms are read here, and nowhere else on the host.
  app.register(async (scoped) => {
    await scoped.register(formBody);
    formRoutes(scoped.withTypeProvider());
  });
};

function formRoutes(app: App): void {
  app.get(
    '/link/:kind',
    {
      config: { permission: 'public' },
      schema: { ...hidden, params: LinkRef, querystring: Type.Object({ token: Token }) },
    },
    async (request, reply) => show(request, reply, { kind: request.params.kind, token: request.query.token }),
  );

  app.post(
    '/link/:kind',
    {
      config: { permission: 'public' },
      schema: { ...hidden, params: LinkRef, body: LinkForm },
    },
    async (request, reply) => {
      requireOwnPage(request);
      const { kind } = request.params;
      const { token, ...form } = request.body;
      try {
        const finished = await links[kind].finish(request, token, form);
        if ('redirect' in finished) return reply.redirect(finished.redirect, 303);
        if (finished.session) setSessionCookies(request, reply, finished.session);
        return page(reply, { ...finished, status: 200 });
      } catch (error) {
        return explain(request, reply, { kind, token, error });
      }
    },
  );
}

/** Only our own page may press the button (ASVS 3.5.1). */
function requireOwnPage(request: Request): void {
  const { system, host } = request.server;
  const { origin } = request.headers;
  if (origin !== undefined && origin !== 'null' && origin !== addressOf(system, host))
    throw problem('VALIDATION_FAILED', 'This form can be sent from its own page only.');
}

type Shown = { kind: LinkKind; token: string; fault?: string };

async function show(request: Request, reply: FastifyReply, { kind, token, fault }: Shown): Promise<FastifyReply> {
  try {
    const { title, body, formTarget } = await links[kind].look(request, token);
    const form = html`<form class="stack" method="post" action="/link/${kind}"><input type="hidden" name="token" value="${token}">${body.fields}<button>${body.button}</button></form>`;
    const complaint = fault === undefined ? '' : html`<p class="fault" role="alert">${fault}</p>`;
    return sendPage(reply, {
      title,
      status: fault === undefined ? 200 : 400,
      ...(formTarget !== undefined && { formTarget }),
      body: html`<section class="card narrow"><h1>${title}</h1>${body.intro}${complaint}${form}</section>`,
    });
  } catch (error) {
    return explain(request, reply, { kind, token, error });
  }
}

/** A dead link says what to do; a fault of the form shows the form again; anything else is not ours to explain. */
function explain(
  request: Request,
  reply: FastifyReply,
  { kind, token, error }: { kind: LinkKind; token: string; error: unknown },
) {
  if (!(error instanceof Problem) || error.status >= 500) throw error;
  if (error.code === 'WEAK_PASSWORD') return show(request, reply, { kind, token, fault: error.message });
  const dead = error.code === 'INVALID_TOKEN' || error.code === 'INVALID_CODE';
  return page(reply, {
    title: dead ? 'This link does not work any more' : 'That did not work',
    text: dead
      ? html`<p>It was used already, has expired, or a newer one was sent. Go back to where you asked for it and ask for a new one.</p>`
      : html`<p>${error.message}</p>`,
    status: error.status,
  });
}

function page(
  reply: FastifyReply,
  { title, text, status }: { title: string; text: Html; status: number },
): FastifyReply {
  return sendPage(reply, {
    title,
    status,
    body: html`<section class="card narrow"><h1>${title}</h1>${text}</section>`,
  });
}
