import type { Part } from '#platform/part.ts';
import { forgetSilentWorkers } from './heartbeat.ts';
import { statusNoticeTask } from './notices.task.ts';

export const statusPart = {
  cleanUps: { forgetSilentWorkers },
  tasks: { status_notice: statusNoticeTask },
} satisfies Part;
