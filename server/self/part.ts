import type { Part } from '#platform/part.ts';
import { eraseUserTask } from './erasure.task.ts';

export const selfPart = {
  tasks: { erase_user: eraseUserTask },
} satisfies Part;
