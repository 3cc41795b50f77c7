import type { Request } from '#platform/http.ts';
import { problem } from '#platform/problem.ts';
import type { System } from '#platform/system.ts';
import type { OperatorSession } from './operator-sessions.ts';

/** Seconds for which a proof of who somebody is holds for what can't be undone or opens doors. */
const STEP_UP_SECONDS = 600;

/** What takes away, hands out or opens more than its caller can put back (ASVS 7.5.3). */
export const dangerous: readonly string[] = [
  'POST /console/v1/applications',
  'DELETE /console/v1/applications/:id',
  'POST /console/v1/applications/:id/secrets',
  'DELETE /console/v1/applications/:id/secrets/:secretId',
  'PATCH /console/v1/members/:memberId',
  'DELETE /console/v1/members/:memberId',
  'POST /console/v1/members/import',
  'GET /console/v1/members/export',
  'PUT /console/v1/members/:memberId/roles',
  'POST /console/v1/members/:memberId/reset-mfa',
  'DELETE /console/v1/identity-providers/:providerId',
  'DELETE /console/v1/roles/:id',
  'DELETE /console/v1/webhooks/endpoints/:endpointId',
  'POST /console/v1/webhooks/endpoints/:endpointId/secret/rotate',
  'DELETE /console/v1/projects/:projectId',
  'DELETE /console/v1/workspace',
  'PATCH /console/v1/team/:teamMemberId',
  'DELETE /console/v1/team/:teamMemberId',
  'POST /console/v1/team/invitations',
];

/** For how many seconds more what is dangerous can be done without another sign-in; 0: no more. */
export function stepUpSecondsLeft({ clock }: System, { authTime }: Pick<OperatorSession, 'authTime'>): number {
  return Math.max(0, STEP_UP_SECONDS - Math.ceil((clock.now().getTime() - authTime.getTime()) / 1000));
}

/** @throws Problem REAUTHENTICATION_REQUIRED with `maxAge` in seconds */
export function requireStepUp(request: Request, session: OperatorSession): void {
  if (!dangerous.includes(`${request.method} ${request.routeOptions.url}`)) return;
  if (stepUpSecondsLeft(request.server.system, session) > 0) return;
  throw problem('REAUTHENTICATION_REQUIRED', {
    detail: 'Confirm who you are again before this change.',
    extensions: { maxAge: STEP_UP_SECONDS },
  });
}
