import type { Environment } from '#platform/ctx.ts';
import type { NoticeContent } from './updates.ts';
import { timeOf } from './view.ts';

type Links = { link: string; unsubscribe: string };

/** The values of the mail of a notice. */
export function mailVariables({
  content: { title, body, phase, at },
  components,
  link,
  unsubscribe,
}: Links & { content: NoticeContent; components: string }) {
  return { title, body, phase, components: components || 'none', time: timeOf(at), link, unsubscribe };
}

/** The body of the webhook of a notice. */
export function webhookBody({
  id,
  environment,
  content: { kind, title, phase, severity, body, at },
  componentIds,
  link,
  unsubscribe,
}: Links & {
  id: string;
  environment: Environment;
  content: NoticeContent;
  componentIds: readonly string[];
}): Record<string, unknown> {
  const data = { id, environment, title, phase, severity, body, componentIds, url: link, unsubscribeUrl: unsubscribe };
  return { type: `status.${kind}`, timestamp: at, data };
}
