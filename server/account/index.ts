export { asMember } from './as-member.ts';
export { part } from './part.ts';
export { accountPages, previewAccountPage } from './preview.ts';
