import type { Part } from '#platform/part.ts';
import { rowsOfProject } from '#platform/removal.ts';
import { cssRoutes } from './css.admin.ts';
import { events } from './events.ts';
import { brandingImageRoutes } from './images.admin.ts';
import { imageRoutes } from './images.auth.ts';

export const part = {
  events,
  routes: {
    auth: imageRoutes,
    admin: [...brandingImageRoutes, ...cssRoutes],
  },
  removals: [rowsOfProject('organization_brandings'), rowsOfProject('branding_images')],
} satisfies Part;
