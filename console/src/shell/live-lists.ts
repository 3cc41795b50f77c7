/** The lists that follow what happens. */
const LISTS = [
  '/console/v1/members',
  '/console/v1/members/count',
  '/console/v1/sessions',
  '/console/v1/invitations',
  '/console/v1/event-log',
  '/console/v1/delivery-log',
  '/console/v1/overview',
];

/**
 * Whether a query of the client is the first page of such a list. A page that was reached by a cursor stays as it is while
 * somebody reads it.
 */
export function isLive([method, path, init]: readonly unknown[]): boolean {
  const { cursor } = Object(Object(Object(init)['params'])['query']);
  return method === 'get' && LISTS.some((list) => list === path) && cursor === undefined;
}
