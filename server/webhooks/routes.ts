import { deliveryRoutes } from './deliveries.admin.ts';
import { endpointActionRoutes } from './endpoint-actions.admin.ts';
import { endpointRepairRoutes } from './endpoint-repair.admin.ts';
import { endpointRoutes } from './endpoints.admin.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: [...deliveryRoutes, ...endpointActionRoutes, ...endpointRepairRoutes, ...endpointRoutes],
};
