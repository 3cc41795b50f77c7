import { messageRoutes } from './messages.admin.ts';
import { receiptRoutes } from './receipts.public.ts';

/** Everything that is served here, by surface. */
export const routes = {
  admin: messageRoutes,
  public: receiptRoutes,
};
