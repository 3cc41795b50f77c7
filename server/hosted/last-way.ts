import { cookieName, cookieOptions, surplusCookies } from '#platform/cookies.ts';
import type { Flow } from './flow.ts';

/** How long a device remembers by which way somebody last signed in to a project on it. */
const DEVICE_SECONDS = 180 * 86_400;

/** A method, `connection`, or `provider:` and the key of a provider. */
const WAY = /^[a-z_]+(:[a-z0-9-]{1,50})?$/;

/**
 * The way by which somebody last signed in to this project in this browser. Only the browser knows it, and only of sign-ins
 * that succeeded in it: it says nothing about who has an account.
 */
export function lastWayOf(flow: Flow): string | null {
  const way = flow.request.cookies[cookieOf(flow)] ?? '';
  return WAY.test(way) ? way : null;
}

/** Lets the browser remember the way of a sign-in that succeeded. */
export function rememberWay(flow: Flow): void {
  const { request, reply, step } = flow;
  if (!step.way) return;
  const options = cookieOptions(request.address, 'lax');
  const name = cookieOf(flow);
  const prefix = cookieName(request.address, flow.ctx.scope.environment, 'way', '');
  for (const surplus of surplusCookies(request.headers.cookie, prefix, name)) reply.clearCookie(surplus, options);
  reply.setCookie(name, step.way, { ...options, maxAge: DEVICE_SECONDS });
}

function cookieOf({ request: { address }, ctx: { scope } }: Flow): string {
  return cookieName(address, scope.environment, 'way', scope.projectId);
}
