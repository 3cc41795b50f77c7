/** Keyed digests that stay the same wherever a workspace is. */
export { insertTagKeys, keepTagKeys, lastingTags } from './lasting-tags.ts';
export { part } from './part.ts';
