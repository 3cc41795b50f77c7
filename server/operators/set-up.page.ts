import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Html, html, sendPage } from '#platform/html.ts';
import type { Reply, Request } from '#platform/http.ts';
import { forms } from '#platform/http-body.ts';
import { requireOwnPage } from '#platform/http-own-page.ts';
import { Problem } from '#platform/problem.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { installationCtx } from './installation.ts';
import { isSetUp, requireSetUpToken, SetUp, setUp } from './set-up.ts';
import {
  acceptTeamInvitation,
  findTeamInvitation,
  NewTeammate,
  type OpenTeamInvitation,
  revokeUnbacked,
} from './team-invitations.ts';

const TokenQuery = Type.Object({ token: Type.String({ maxLength: 200, default: '' }) });
const SIGN_IN = '/console/v1/sign-in';

/** Two pages that work without a session: creating the first owner, and joining a team. */
export const setUpRoutes: Routes = [
  get('/console/setup', {
    permission: 'public',
    query: TokenQuery,
    handler: async (request, reply) => {
      const { system } = request.server;
      if (await isSetUp(ctxOf(request))) return reply.redirect('/console/', 303);
      const { token } = request.query;
      return explaining(reply, () => {
        if (token === '') return show(reply, 200, WHERE_IS_THE_LINK);
        requireSetUpToken(system, token);
        return show(reply, 200, setUpForm({ token }, ''));
      });
    },
  }),
  post('/console/setup', {
    permission: 'public',
    counted: 'password',
    plugin: forms,
    handler: async (request, reply) => {
      requireOwnPage(request);
      const { body } = request;
      if (!Value.Check(SetUp, body)) return show(reply, 400, setUpForm(textsIn(body), 'Fill in every field.'));
      return explaining(
        reply,
        async () => {
          await setUp(ctxOf(request), body);
          return reply.redirect(SIGN_IN, 303);
        },
        (fault) => setUpForm(textsIn(body), fault),
      );
    },
  }),
  get('/console/invitation', {
    permission: 'public',
    query: TokenQuery,
    handler: (request, reply) => {
      const { token } = request.query;
      return explaining(reply, async () =>
        show(reply, 200, invitationForm(await findTeamInvitation(ctxOf(request), token), token, '')),
      );
    },
  }),
  post('/console/invitation', {
    permission: 'public',
    counted: 'password',
    plugin: forms,
    handler: async (request, reply) => {
      requireOwnPage(request);
      const { body } = request;
      const { token = '' } = textsIn(body);
      const ctx = ctxOf(request);
      return explaining(reply, async () => {
        await revokeUnbacked(ctx, token);
        const invitation = await findTeamInvitation(ctx, token);
        if (!Value.Check(NewTeammate, body))
          return show(reply, 400, invitationForm(invitation, token, 'Fill in every field.'));
        return explaining(
          reply,
          async () => {
            await acceptTeamInvitation(ctx, body);
            return reply.redirect(SIGN_IN, 303);
          },
          (fault) => invitationForm(invitation, token, fault),
        );
      });
    },
  }),
];

function ctxOf(request: Request) {
  const ctx = installationCtx(request.server.system, 'console');
  return { ...ctx, trace: request.trace };
}

/** Shows problems that a person can fix, in place or as a page of its own; rethrows anything else. */
async function explaining(
  reply: Reply,
  work: () => Promise<Reply> | Reply,
  form?: (fault: string) => Html,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    if (error.code === 'INVALID_TOKEN') return show(reply, 400, DEAD_LINK);
    if (!form) throw error;
    return show(reply, error.status, form(error.message));
  }
}

function show(reply: Reply, status: number, body: Html): Reply {
  return sendPage(reply, { title: 'Console', status, body: html`<div class="narrow card">${body}</div>` });
}

/** The submitted text fields, to fill in the form again; passwords must be typed again. */
function textsIn(body: unknown): Partial<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(Object(body)).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

const WHERE_IS_THE_LINK = html`<h1>Set up Latchkey</h1>
<p>This installation has no owner yet. Latchkey printed a link for the first owner when it started; look in its output or log for <code>/console/setup?token=</code>.</p>
<p>Or create an owner on the machine that runs it:</p><pre>latchkey admin create-owner --email you@example.com</pre>`;

const DEAD_LINK = html`<h1>This link does not work</h1>
<p>It is unknown, was already used or revoked, or has expired.</p><p><a href="${SIGN_IN}">Sign in to the console</a></p>`;

function faultIn(fault: string): Html | '' {
  return fault === '' ? '' : html`<p class="fault" role="alert">${fault}</p>`;
}

const newPassword = html`<label>Password<input type="password" name="password" required minlength="8" maxlength="1024" autocomplete="new-password"></label>`;

function setUpForm({ token, displayName, email, workspace, project }: Partial<Record<string, string>>, fault: string) {
  return html`<h1>Set up Latchkey</h1><p class="soft">You will be the owner of this installation and of its first workspace.</p>${faultIn(fault)}
<form class="stack" method="post" action="/console/setup"><input type="hidden" name="token" value="${token ?? ''}">
<label>Your name<input name="displayName" value="${displayName ?? ''}" required maxlength="100" autocomplete="name"></label>
<label>Email address<input type="email" name="email" value="${email ?? ''}" required maxlength="254" autocomplete="username" spellcheck="false"></label>
${newPassword}
<label>Workspace, such as your company<input name="workspace" value="${workspace ?? ''}" required maxlength="100" autocomplete="organization"></label>
<label>First project, such as your product<input name="project" value="${project ?? ''}" required maxlength="100" autocomplete="off"></label>
<button>Set up</button></form>`;
}

function invitationForm({ email, workspaceName, role, known }: OpenTeamInvitation, token: string, fault: string) {
  const newcomer = html`<label>Your name<input name="displayName" required maxlength="100" autocomplete="name"></label><input type="hidden" autocomplete="username" value="${email}">${newPassword}`;
  return html`<h1>Join ${workspaceName}</h1><p class="soft">You are invited to the team as ${role}, with the address <strong>${email}</strong>.</p>${faultIn(fault)}
<form class="stack" method="post" action="/console/invitation"><input type="hidden" name="token" value="${token}">
${known ? html`<p>You already have an account here. Join, then sign in with it.</p>` : newcomer}
<button>Join</button></form>`;
}
