import type { Task } from 'graphile-worker';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { System } from '#platform/system.ts';
import { issuerOf } from './provider.ts';

const LogoutMessage = Type.Object({
  environment: Type.Enum(['test', 'production']),
  clientId: Type.String(),
  subject: Type.String(),
  sid: Type.String(),
});

declare module '#platform/jobs.ts' {
  interface Jobs {
    backchannel_logout: Static<typeof LogoutMessage>;
  }
}

/** Tells one client that a session ended. Thrown errors make the worker try again, for days. */
export function backchannelLogoutTask(system: System): Task {
  return async (payload) => {
    const { environment, clientId, subject, sid } = Value.Parse(LogoutMessage, payload);
    const { tellOfLogout } = await issuerOf(system, environment);
    await tellOfLogout(clientId, subject, sid);
  };
}
