import type { Part } from '#platform/part.ts';
import { rowsOfWorkspace } from '#platform/removal.ts';

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

export const part = { removals: [rowsOfWorkspace('linked_identities')] } satisfies Part;
