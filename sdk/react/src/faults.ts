import { AuthError } from '@latchkey/browser';
import type { Say, TextId } from './texts/form-texts.ts';

const FAULTS: Readonly<Record<string, TextId>> = {
  ACCOUNT_THROTTLED: 'fault.later',
  ADDON_REQUIRED: 'fault.noText',
  ALREADY_EXISTS: 'fault.exists',
  INVALID_CODE: 'fault.code',
  INVALID_CREDENTIALS: 'fault.credentials',
  INVALID_TOKEN: 'fault.code',
  LAST_OWNER: 'fault.lastOwner',
  LAST_SIGN_IN_METHOD: 'fault.lastWayIn',
  MEMBER_BLOCKED: 'fault.blocked',
  MEMBERSHIP_REQUIRED: 'fault.membership',
  METHOD_DISABLED: 'fault.method',
  NOT_FOUND: 'fault.gone',
  ORGANIZATION_ADDRESS: 'fault.organization',
  ORGANIZATION_BLOCKED: 'fault.organization',
  ORGANIZATION_METHOD: 'fault.organization',
  PLAN_LIMIT_EXCEEDED: 'fault.noText',
  RATE_LIMIT_EXCEEDED: 'fault.later',
  REGISTRATION_CLOSED: 'fault.closed',
  VALIDATION_FAILED: 'fault.invalid',
  WEAK_PASSWORD: 'fault.weak',
};
/** A person who cancels, or a device without a passkey. */
const UNUSED_PASSKEY = ['NotAllowedError', 'InvalidStateError'];

type Refusal = { errorCode: string | null; retryAfter: number | null; name: string; code: string | null };

/** What an error says about itself. The errors of both packages have the same fields. */
function refusalOf(error: unknown): Refusal {
  const { errorCode = null, retryAfter = null, problem, name = '', code = null } = Object(error);
  return { errorCode, retryAfter: retryAfter ?? problem?.retryAfter ?? null, name: String(name), code };
}

/**
 * The sentence that explains an error to a person.
 * @param instead texts for this place, such as that of a wrong current password
 */
export function explain(
  error: unknown,
  say: Say,
  { project, instead = {} }: { project: string; instead?: Readonly<Record<string, TextId>> },
): string {
  const { errorCode, retryAfter, name, code } = refusalOf(error);
  const minutes = Math.max(1, Math.ceil((retryAfter ?? 60) / 60));
  const known = errorCode === null ? undefined : (instead[errorCode] ?? FAULTS[errorCode]);
  if (known) return say(known, { minutes, project });
  if (UNUSED_PASSKEY.includes(name)) return say('fault.unusedPasskey');
  if (code === 'organization_refused') return say('fault.organization');
  if (code === 'sign_in_failed') return say('fault.upstream');
  if (code === 'offline' || (error instanceof TypeError && !(error instanceof AuthError))) return say('fault.offline');
  return say('fault.unavailable');
}
