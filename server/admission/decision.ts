import type { SecondFactor } from '#factors';
import type { Settings } from '#settings';
import { ENTRANCES, type Entrance } from './entrances.ts';

type FactorType = SecondFactor['type'];

/** Everything a decision depends on. */
export type Evidence = {
  project: { closed: boolean; mfa: Settings['mfa']; registration: Settings['registration']; remembersDevices: boolean };
  /** The person's membership in the project. */
  member: 'active' | 'invited' | 'blocked' | null;
  /** Whose application they come through. */
  party: 'first' | 'third';
  /** What was proven; `age` in seconds. `remembered`: in a browser that is remembered in place of a second factor. */
  proof: { amr: readonly string[]; acr: string; age: number; remembered: boolean };
  /** What the person set up as second factors, as `enrolledSecondFactors` counts them. */
  enrolled: readonly FactorType[];
  /** Whether the person can sign in by something else than a phone. */
  otherWayIn: boolean;
  /** What the application asks beyond the project's policy. `maxAge` in seconds. */
  asked: { secondFactor: 'no' | 'wished' | 'essential'; maxAge: number | null };
};

export type Decision =
  | { kind: 'admitted'; by: 'proof' | 'remembered_device'; joins: boolean }
  | { kind: 'needs'; what: 'second_factor' | 'enrolment' | 'fresh_proof' }
  | { kind: 'refused'; because: Refusal };

export type Refusal = 'closed' | 'blocked' | 'not_a_member' | 'third_party' | 'same_phone' | 'unmet';

/** Whether who has proven this may enter the project through this entrance. Reads nothing but what it is given. */
export function decide(entrance: Entrance, evidence: Evidence): Decision {
  const because = refusalOf(entrance, evidence);
  if (because) return { kind: 'refused', because };
  const { proof, asked } = evidence;
  if (asked.maxAge !== null && proof.age > asked.maxAge) return { kind: 'needs', what: 'fresh_proof' };
  return needsLevel(evidence) ? byLevel(entrance, evidence) : admitted(evidence);
}

/** Whether a decision depends on the second factors of the person. */
export function dependsOnFactors(entrance: Entrance, evidence: Evidence): boolean {
  return refusalOf(entrance, evidence) === undefined && needsLevel(evidence);
}

/** Two factors that were shown are enough anywhere. */
function needsLevel({ proof, project, asked }: Evidence): boolean {
  return proof.acr === 'aal1' && (project.mfa !== 'off' || asked.secondFactor !== 'no');
}

function refusalOf(entrance: Entrance, { project, member, party }: Evidence): Refusal | undefined {
  const { kind, firstPartyOnly } = ENTRANCES[entrance];
  if (project.closed) return 'closed';
  if (firstPartyOnly && party === 'third') return 'third_party';
  if (member === 'blocked') return 'blocked';
  const mayJoin = (kind === 'sign_in' || kind === 'second_step') && project.registration === 'open';
  return member === 'active' || mayJoin ? undefined : 'not_a_member';
}

/** What somebody who has shown one factor is asked, where a second one is wanted. */
function byLevel(entrance: Entrance, evidence: Evidence): Decision {
  const { project, proof, enrolled, otherWayIn, asked } = evidence;
  if (enrolled.length > 0 && standsForFactor(evidence)) return admitted(evidence, 'remembered_device');
  if (usableFactors(enrolled, proof.amr).length > 0) return { kind: 'needs', what: 'second_factor' };
  if (enrolled.length > 0 && otherWayIn && project.mfa !== 'off')
    return ENTRANCES[entrance].kind === 'sign_in'
      ? { kind: 'refused', because: 'same_phone' }
      : { kind: 'needs', what: 'second_factor' };
  if (project.mfa === 'required') return { kind: 'needs', what: 'enrolment' };
  return asked.secondFactor === 'essential' ? { kind: 'refused', because: 'unmet' } : admitted(evidence);
}

/** A remembered device stands for the second factor where the project says so, and reaches no level by itself. */
function standsForFactor({ proof, project, asked }: Evidence): boolean {
  return proof.remembered && project.remembersDevices && asked.secondFactor === 'no';
}

function admitted({ member }: Evidence, by: 'proof' | 'remembered_device' = 'proof'): Decision {
  return { kind: 'admitted', by, joins: member !== 'active' };
}

/** The factors that can be a second one: a phone that was the first is none (NIST SP 800-63B-4 §2.2.1: two different authenticators). */
export function usableFactors<T extends FactorType>(enrolled: readonly T[], amr: readonly string[]): readonly T[] {
  return enrolled.filter((type) => isAnotherThan(type, amr));
}

/** Whether a factor is another authenticator than those used already. @param amr as RFC 8176 names them */
export function isAnotherThan(type: string, amr: readonly string[]): boolean {
  return type !== 'phone' || !amr.includes('sms');
}

const STRICTNESS: Readonly<Record<Settings['mfa'], number>> = { off: 0, optional: 1, required: 2 };

/**
 * Whether something that was admitted has to be looked at again: its project's policy is stricter than then, or no longer takes
 * remembered devices. A person who sets a factor up has no other session afterwards, so that is no reason.
 * @param under the policy it was admitted under; null where that was not kept
 */
export function mustBeLookedAtAgain(
  settings: Pick<Settings, 'mfa' | 'rememberDeviceSeconds'>,
  { acr, under, remembered }: { acr: string; under: Settings['mfa'] | null; remembered: boolean },
): boolean {
  if (acr !== 'aal1' || settings.mfa === 'off') return false;
  return (
    under === null ||
    STRICTNESS[settings.mfa] > STRICTNESS[under] ||
    (remembered && settings.rememberDeviceSeconds === 0)
  );
}
