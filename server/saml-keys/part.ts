import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { sealedIn } from '#platform/sealed.ts';
import { events } from './events.ts';
import { keyRoutes } from './keys.admin.ts';

export const part = {
  events,
  routes: { admin: keyRoutes },
  sealed: { 'saml-key': sealedIn('saml_keys', 'private_sealed') },
  removals: [rowsOfProject('saml_keys')],
} satisfies Part;
