import { projectOf } from '#environments';
import type { ChatKind } from '#platform/config-chat.ts';
import { type ChatMessage, chatBody } from './chat.ts';
import { inPage, type PageCtx, type PageTx } from './pages.ts';
import type { NoticeContent } from './updates.ts';
import type { Voice } from './words.ts';

const GREEN = 0x17804d;
const BLUE = 0x3563c9;
const BY_SEVERITY: Readonly<Record<string, number>> = { minor: 0xb97a00, major: 0xcf5a12, critical: 0xc0291f };

/** The name on a page. */
export async function pageNameOf(ctx: PageCtx | PageTx): Promise<string> {
  const board = await ctx.db.selectFrom('status_boards').select('name').where(inPage(ctx.page)).executeTakeFirst();
  return board?.name ?? (await projectOf(ctx.system, ctx.scope)).projectName;
}

type Links = { link: string; unsubscribe: string };

/** The message that asks a channel for its consent. */
export function chatConfirmation(
  kind: ChatKind,
  { voice: { say }, name, at, link, unsubscribe }: Links & { voice: Voice; name: string; at: string },
): Record<string, unknown> {
  return chatBody(kind, {
    title: say('confirm.title'),
    about: '',
    text: say('chat.confirm', { name }),
    facts: [],
    links: [
      { label: say('confirm.button'), url: link },
      { label: say('unsubscribe.button'), url: unsubscribe },
    ],
    colour: BLUE,
    at,
  });
}

/** A notice as a channel gets it. */
export function noticeInChat({
  voice,
  name,
  content,
  components,
  link,
  unsubscribe,
}: Links & { voice: Voice; name: string; content: NoticeContent; components: string }): ChatMessage {
  const { say } = voice;
  const { title, body, phase, at } = content;
  return {
    title,
    about: [say(phase), ...severityOf(content, voice), say('title', { name })].join(' · '),
    text: body,
    facts: components === '' ? [] : [{ name: say('incidents.affected'), value: components }],
    links: [
      { label: say('chat.details'), url: link },
      { label: say('unsubscribe.button'), url: unsubscribe },
    ],
    colour: colourOf(content),
    at,
  };
}

function severityOf({ severity }: NoticeContent, { say }: Voice): string[] {
  if (severity === 'minor' || severity === 'major' || severity === 'critical') return [say(`severity.${severity}`)];
  return [];
}

function colourOf({ kind, phase, severity }: NoticeContent): number {
  if (phase === 'resolved' || phase === 'completed') return GREEN;
  return kind === 'maintenance' ? BLUE : (BY_SEVERITY[severity ?? ''] ?? BLUE);
}
