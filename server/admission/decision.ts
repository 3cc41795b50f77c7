import type { SecondFactor } from '#factors';
import type { Settings } from '#settings';
import { ENTRANCES, type Entrance } from './entrances.ts';

type FactorType = SecondFactor['type'];

/** The complete input of a decision. */
export type Evidence = {
  project: { closed: boolean; mfa: Settings['mfa']; registration: Settings['registration']; remembersDevices: boolean };
  /** The person's membership in the project. */
  member: 'active' | 'invited' | 'blocked' | null;
  /**
   * Why the person may not enter the organization, or the project with the connection that they signed in through; null
   * if they may.
   */
  organization: OrganizationRefusal | null;
  /** Whether the application is the project's own or a third party's. */
  party: 'first' | 'third';
  /** The proof; `age` in seconds. `remembered`: from a browser that is remembered in place of a second factor. */
  proof: { amr: readonly string[]; acr: string; age: number; remembered: boolean };
  /** The second factors of the user, as `enrolledSecondFactors` counts them. */
  enrolled: readonly FactorType[];
  /** Whether the user can sign in without a phone. */
  otherWayIn: boolean;
  /** What the application requires beyond the project's policy. `maxAge` in seconds. */
  asked: { secondFactor: 'no' | 'wished' | 'essential'; maxAge: number | null };
};

export type Decision =
  | { kind: 'admitted'; by: 'proof' | 'remembered_device'; joins: boolean }
  | { kind: 'needs'; what: 'second_factor' | 'enrolment' | 'fresh_proof' }
  /** `message`: what the person is told, if an action refused. */
  | { kind: 'refused'; because: Refusal; message?: string | null };

const ORGANIZATION_REFUSALS = [
  'no_organization',
  'organization_blocked',
  'organization_address',
  'organization_method',
  'foreign_connection',
] as const;
export type OrganizationRefusal = (typeof ORGANIZATION_REFUSALS)[number];

/** Whether a refusal is about the organization that the person wants to enter, not about the project. */
export function isOfOrganization(because: string): boolean {
  return ORGANIZATION_REFUSALS.some((refusal) => refusal === because);
}

export type Refusal =
  | 'closed'
  | 'blocked'
  | 'not_a_member'
  | 'third_party'
  | 'same_phone'
  | 'unmet'
  | 'action'
  | 'action_failed'
  | OrganizationRefusal;

/** Decides whether a user with this evidence may enter the project through this entrance. A pure function. */
export function decide(entrance: Entrance, evidence: Evidence): Decision {
  const because = refusalOf(entrance, evidence);
  if (because) return { kind: 'refused', because };
  const { proof, asked } = evidence;
  if (asked.maxAge !== null && proof.age > asked.maxAge) return { kind: 'needs', what: 'fresh_proof' };
  return needsLevel(evidence) ? byLevel(entrance, evidence) : admitted(evidence);
}

/** Whether a decision depends on the second factors of the user. */
export function dependsOnFactors(entrance: Entrance, evidence: Evidence): boolean {
  return refusalOf(entrance, evidence) === undefined && needsLevel(evidence);
}

/** Two proven factors are enough everywhere. */
function needsLevel({ proof, project, asked }: Evidence): boolean {
  return proof.acr === 'aal1' && (project.mfa !== 'off' || asked.secondFactor !== 'no');
}

function refusalOf(entrance: Entrance, { project, member, party, organization }: Evidence): Refusal | undefined {
  const { kind, firstPartyOnly } = ENTRANCES[entrance];
  if (project.closed) return 'closed';
  if (firstPartyOnly && party === 'third') return 'third_party';
  if (member === 'blocked') return 'blocked';
  const mayJoin = (kind === 'sign_in' || kind === 'second_step') && project.registration === 'open';
  if (member !== 'active' && !mayJoin) return 'not_a_member';
  return organization ?? undefined;
}

/** What to require of a user who has proven one factor, if a second one is wanted. */
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

/** A remembered device stands in for the second factor if the project allows it, but does not raise the level. */
function standsForFactor({ proof, project, asked }: Evidence): boolean {
  return proof.remembered && project.remembersDevices && asked.secondFactor === 'no';
}

function admitted({ member }: Evidence, by: 'proof' | 'remembered_device' = 'proof'): Decision {
  return { kind: 'admitted', by, joins: member !== 'active' };
}

/**
 * The factors that can be the second one: a phone used as the first factor can't (NIST SP 800-63B-4 §2.2.1: two
 * different authenticators).
 */
export function usableFactors<T extends FactorType>(enrolled: readonly T[], amr: readonly string[]): readonly T[] {
  return enrolled.filter((type) => isAnotherThan(type, amr));
}

/**
 * Whether a factor is a different authenticator from those already used.
 * @param amr as RFC 8176 names them
 */
export function isAnotherThan(type: string, amr: readonly string[]): boolean {
  return type !== 'phone' || !amr.includes('sms');
}

const STRICTNESS: Readonly<Record<Settings['mfa'], number>> = { off: 0, optional: 1, required: 2 };

/**
 * Whether an admission must be decided again: the project's policy has become stricter, or no longer allows remembered
 * devices. A user who adds a factor is not a reason, because their other sessions end then.
 * @param under the policy at admission; null if it was not recorded
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
