import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';
import { events } from './events.ts';

export {
  findLinkedUser,
  identityUsed,
  type LinkedIdentityId,
  linkIdentity,
  listIdentities,
  unlinkIdentity,
  unlinkSince,
} from './linked-identities.ts';
export { UpstreamIdentity, UpstreamProfile } from './upstream-identity.ts';

export const part = {
  events,
  removals: [rowsOfWorkspace('linked_identities')],
} satisfies Part;
