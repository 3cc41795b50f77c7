import { html } from 'hono/html';
import { renderPage, voiceOf } from '#pages';
import type { Reply, Request } from '#platform/http.ts';
import { Problem } from '#platform/problem.ts';

/** Shows what to do when a sign-in is over or was started in another browser; rethrows anything else. */
export async function deadPage(request: Request, reply: Reply, error: unknown): Promise<Reply> {
  if (!(error instanceof Problem) || error.code !== 'INVALID_TOKEN') throw error;
  const voice = await voiceOf({ system: request.server.system, in: null, languages: request.trace.languages });
  const { document, headers } = renderPage(voice, {
    title: voice.say('error.deadTitle'),
    body: html`<p>${voice.say('error.dead')}</p>`,
  });
  return reply.code(400).headers(headers).serializer(String).send(document);
}
