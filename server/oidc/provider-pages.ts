import { html } from 'hono/html';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { Value } from 'typebox/value';
import type { Application } from '#applications';
import { type Markup, type Page, renderPage, type Say, type Voice, voiceOf } from '#pages';
import type { Environment, Scope } from '#platform/ctx.ts';
import { IdSchema, type OrganizationId } from '#platform/ids.ts';
import type { System } from '#platform/system.ts';
import { applicationOf } from './clients.ts';
import { goesElsewhere } from './ending.ts';
import { providerPages } from './pages-of-provider.ts';

const OrganizationIdSchema = IdSchema('org');

/** Responds with a page in the branding of the request's project, if that is known. */
async function show(
  system: System,
  ctx: KoaContextWithOIDC,
  { page, scope }: { page: (voice: Voice) => Page; scope?: Scope | undefined },
): Promise<void> {
  const locales = ctx.oidc.params?.['ui_locales'];
  const voice = await voiceOf({
    system,
    in: scope ? { scope, organizationId: organizationIn(ctx) } : null,
    languages: typeof locales === 'string' ? locales.replaceAll(' ', ',') : ctx.get('accept-language') || null,
  });
  const { document, headers } = renderPage(voice, page(voice));
  ctx.set(headers);
  ctx.body = document;
}

/** The organization that the request names by its id, as requests at the address of an organization do. */
function organizationIn(ctx: KoaContextWithOIDC): OrganizationId | null {
  const named = ctx.oidc.params?.['organization'];
  return Value.Check(OrganizationIdSchema, named) ? named : null;
}

/** The hidden field and the address of a form that the library rendered. */
function formOf(markup: string): { action: string; secret: string } {
  const found = /action="([^"]*)"[\s\S]*name="xsrf" value="([0-9a-f]*)"/.exec(markup);
  if (!found) throw new Error('unreachable: the library makes its forms with an action and an xsrf field');
  return { action: found[1] ?? '', secret: found[2] ?? '' };
}

/** Asks for the code that a device shows (RFC 8628 §3.3). */
export function deviceEntry(
  system: System,
  ctx: KoaContextWithOIDC,
  { form, error }: { form: string; error?: { name: string; message: string } | undefined },
): Promise<void> {
  return show(system, ctx, {
    page: (voice) => providerPages.deviceEntry(voice, { ...formOf(form), error: error?.name }),
  });
}

/** Shows the code again, with the application's name, before access is granted (RFC 8628 §5.4). */
export function deviceConfirmed(
  system: System,
  ctx: KoaContextWithOIDC,
  { form, userCode, application }: { form: string; userCode: string; application: Application },
): Promise<void> {
  return show(system, ctx, {
    scope: application,
    page: (voice) => providerPages.deviceConfirmed(voice, { ...formOf(form), userCode, application: application.name }),
  });
}

export function deviceDone(system: System, ctx: KoaContextWithOIDC): Promise<void> {
  return show(system, ctx, {
    scope: applicationOf(ctx.oidc.client),
    page: providerPages.deviceDone,
  });
}

/**
 * Asks before signing out, because any page could send a browser here. The page is of the project of the application
 * that asks, or else of the project where the browser signed in.
 */
export async function logoutQuestion(
  system: System,
  ctx: KoaContextWithOIDC,
  { form, environment }: { form: string; environment: Environment },
): Promise<void> {
  const target = ctx.oidc.params?.['post_logout_redirect_uri'];
  const { workspaceId, projectId } = ctx.oidc.session ?? {};
  const began = workspaceId && projectId ? { workspaceId, projectId, environment } : undefined;
  const elsewhere = await goesElsewhere(system, environment, { ...ctx.oidc.session });
  return show(system, ctx, {
    scope: ctx.oidc.client ? applicationOf(ctx.oidc.client) : began,
    page: (voice) => ({
      ...providerPages.logoutQuestion(voice, formOf(form)),
      leaves: typeof target === 'string' || elsewhere,
    }),
  });
}

export function loggedOut(system: System, ctx: KoaContextWithOIDC): Promise<void> {
  return show(system, ctx, {
    scope: ctx.oidc.client && applicationOf(ctx.oidc.client),
    page: providerPages.loggedOut,
  });
}

/** Endpoints that only programs call: their errors are JSON (RFC 6749 §5.2), although some HTTP clients prefer HTML. */
const FOR_PROGRAMS = new Set([
  'device_authorization',
  'introspection',
  'pushed_authorization_request',
  'revocation',
  'token',
  'userinfo',
]);

/** An error that can't be sent to the application: a page for people, JSON for programs. */
export async function failure(system: System, ctx: KoaContextWithOIDC, out: ErrorOut): Promise<void> {
  if (FOR_PROGRAMS.has(ctx.oidc.route) || ctx.accepts('json', 'html') !== 'html') {
    ctx.body = out;
    return;
  }
  const dead = out.error_description !== undefined && /session|interaction|expired/.test(out.error_description);
  const application = ctx.oidc?.client && applicationOf(ctx.oidc.client);
  await show(system, ctx, {
    scope: application,
    page: (voice) =>
      providerPages.failure(voice, {
        dead,
        code: out.error,
        description: out.error_description ?? '',
        more: application
          ? wrongAddress(system, { say: voice.say, application, error: out.error, params: ctx.oidc.params })
          : '',
        correlationId: ctx.response.get('x-correlation-id'),
      }),
  });
}

type WrongAddress = { say: Say; application: Application; error: string; params: Record<string, unknown> | undefined };

/** The redirect address that came, and in development the way to where it is set. It is text: nothing follows it. */
function wrongAddress({ config }: System, { say, application, error, params }: WrongAddress): Markup | '' {
  const uri = params?.['redirect_uri'];
  if (error !== 'invalid_redirect_uri' || typeof uri !== 'string') return '';
  const { workspaceId, projectId, environment, id, name } = application;
  const settings = `${config.addresses.console}/console/${workspaceId}/${projectId}/${environment}/applications/${id}`;
  return html`<p>${say('error.redirect')}</p><p><code class="value">${uri}</code></p>${config.mode === 'development' ? html`<p><a href="${settings}">${say('error.settings', { application: name })}</a></p>` : ''}`;
}
