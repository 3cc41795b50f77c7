import { messageRoutes } from './messages.admin.ts';
import { receiptRoutes } from './receipts.public.ts';

/** The routes of this part, by surface. */
export const routes = {
  admin: messageRoutes,
  public: receiptRoutes,
};
