import type { Part } from '#platform/part.ts';
import { removeSilentWorkers } from './heartbeat.ts';
import { statusNoticeTask } from './notices.task.ts';

export const statusPart = {
  cleanUps: { removeSilentWorkers },
  tasks: { status_notice: statusNoticeTask },
} satisfies Part;
