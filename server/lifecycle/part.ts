import type { Part } from '#platform/part.ts';
import { removeScopeTask } from './removal.task.ts';

export const lifecyclePart = {
  tasks: { remove_scope: removeScopeTask },
} satisfies Part;
