import type { Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import type { OperatorSession } from './operator-sessions.ts';

/** How long a proof allows dangerous or irreversible actions, in seconds. */
const STEP_UP_SECONDS = 600;

/** How many more seconds dangerous actions are allowed without another sign-in; 0: not allowed. */
export function stepUpSecondsLeft({ clock }: System, { authTime }: Pick<OperatorSession, 'authTime'>): number {
  return Math.max(0, STEP_UP_SECONDS - Math.ceil((clock.now().getTime() - authTime.getTime()) / 1000));
}

/**
 * Requires a fresh proof if the route declares it.
 * @throws Problem REAUTHENTICATION_REQUIRED with `maxAge` in seconds
 */
export function requireStepUp(request: Request, session: OperatorSession): void {
  const { stepUp } = request.route ?? {};
  if (!stepUp) return;
  // The query is not yet validated, and `true` is the only spelling that will be.
  if (stepUp === 'unless dryRun' && Object(request.query).dryRun === 'true') return;
  if (stepUpSecondsLeft(request.server.system, session) > 0) return;
  throw problem('REAUTHENTICATION_REQUIRED', {
    detail: 'Sign in again to make this change.',
    extensions: { maxAge: STEP_UP_SECONDS },
  });
}
