export { openOwnSetUp } from './own-setup-links.ts';
export { part } from './part.ts';
export { ownTasks } from './tasks.ts';
