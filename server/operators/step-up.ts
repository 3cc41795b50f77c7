import type { Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import type { OperatorSession } from './operator-sessions.ts';

/** Seconds for which a proof of who somebody is holds for what can't be undone or opens doors. */
const STEP_UP_SECONDS = 600;

/** For how many seconds more what is dangerous can be done without another sign-in; 0: no more. */
export function stepUpSecondsLeft({ clock }: System, { authTime }: Pick<OperatorSession, 'authTime'>): number {
  return Math.max(0, STEP_UP_SECONDS - Math.ceil((clock.now().getTime() - authTime.getTime()) / 1000));
}

/** Asks for a fresh proof where the route declares it. @throws Problem REAUTHENTICATION_REQUIRED with `maxAge` in seconds */
export function requireStepUp(request: Request, session: OperatorSession): void {
  if (!request.route?.stepUp) return;
  if (stepUpSecondsLeft(request.server.system, session) > 0) return;
  throw problem('REAUTHENTICATION_REQUIRED', {
    detail: 'Sign in again to make this change.',
    extensions: { maxAge: STEP_UP_SECONDS },
  });
}
