import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { removeOldMessages } from './messages.ts';
import { settleAbandoned } from './texts.ts';

export const messagesPart = {
  removals: [rowsOfProject('messages'), rowsOfProject('message_templates')],
  cleanUps: { removeOldMessages },
  sweeps: { settleAbandoned },
} satisfies Part;
