export { part } from './part.ts';
export { relationsOfMembers } from './relations.ts';
