import { Type } from 'typebox';
import { html, sendPage, wantsPage } from '#platform/html.ts';
import { errorCodes, problem, problemPath, problems } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';

/** A page for every error code, which the `type` of a problem document links to. */
export const problemPageRoutes: Routes = [
  get('/problems/:code', {
    permission: 'public',
    params: Type.Object({ code: Type.String({ pattern: '^[a-z0-9-]{1,60}$' }) }),
    handler: (request, reply) => {
      const code = errorCodes.find((candidate) => problemPath(candidate) === `/problems/${request.params.code}`);
      if (!code) throw problem('NOT_FOUND');
      const { status, title, detail } = problems[code];
      const documentation = `${request.server.system.config.addresses.console}/docs/errors/${code}`;
      if (!wantsPage(request.headers.accept))
        return reply.send({ errorCode: code, status, title, detail, documentation });
      return sendPage(reply, {
        title,
        body: html`<h1>${title}</h1><p class="soft"><code>${code}</code>, HTTP ${status}</p><div class="card"><p>${withCode(detail)}</p>
<p class="soft">In the problem document you received, <code>detail</code> describes your case; quote its <code>traceId</code> in a report.</p></div>
<p><a href="${documentation}">What to do, and which operations return it</a></p>`,
      });
    },
  }),
];

/** Marks up text between backticks as code. */
function withCode(sentence: string) {
  return sentence.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
