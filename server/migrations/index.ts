import { up as foundation } from './0001-foundation.ts';
import { up as signInMethods } from './0002-sign-in-methods.ts';
import { up as openidProvider } from './0003-openid-provider.ts';
import { up as webhooks } from './0004-webhooks.ts';
import { up as status } from './0005-status.ts';
import { up as smsAddOn } from './0006-sms-add-on.ts';
import { up as admin } from './0007-admin.ts';
import { up as members } from './0008-members.ts';
import { up as domains } from './0009-domains.ts';
import { up as console } from './0010-console.ts';
import { up as atSize } from './0012-at-size.ts';
import { up as deletion } from './0013-deletion.ts';
import { up as applications } from './0014-applications.ts';
import { up as deadSessions } from './0020-dead-sessions.ts';
import { up as dryRuns } from './0021-dry-runs.ts';
import { up as statusUpdates } from './0025-status-updates.ts';
import { up as secondFactorAt } from './0030-second-factor-at.ts';

/** Every migration in order; append only. */
export const migrations: readonly { id: number; name: string; up: string }[] = [
  { id: 1, name: 'foundation', up: foundation },
  { id: 2, name: 'sign-in-methods', up: signInMethods },
  { id: 3, name: 'openid-provider', up: openidProvider },
  { id: 4, name: 'webhooks', up: webhooks },
  { id: 5, name: 'status', up: status },
  { id: 6, name: 'sms-add-on', up: smsAddOn },
  { id: 7, name: 'admin', up: admin },
  { id: 8, name: 'members', up: members },
  { id: 9, name: 'domains', up: domains },
  { id: 10, name: 'console', up: console },
  { id: 12, name: 'at-size', up: atSize },
  { id: 13, name: 'deletion', up: deletion },
  { id: 14, name: 'applications', up: applications },
  { id: 20, name: 'dead-sessions', up: deadSessions },
  { id: 21, name: 'dry-runs', up: dryRuns },
  { id: 25, name: 'status-updates', up: statusUpdates },
  { id: 30, name: 'second-factor-at', up: secondFactorAt },
];
