import { type Removal, rowsOfProject } from '#platform/removal.ts';

export const messageRemovals: readonly Removal[] = [rowsOfProject('messages'), rowsOfProject('message_templates')];
