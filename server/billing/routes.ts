import { smsAddOnRoutes } from './sms-addon.admin.ts';
import { smsGuardRoutes } from './sms-guard.admin.ts';
import { stripeRoutes } from './stripe.public.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: [...smsAddOnRoutes, ...smsGuardRoutes],
  public: stripeRoutes,
};
