import { issuing } from '#saml';

const CONTEXTS = issuing.contexts;
/** The authentication context classes that a service provider asks for. */
type RequestedContexts = NonNullable<ReturnType<typeof issuing.readRequest>['contexts']>;

type Proof = { amr: readonly string[]; acr: string };

/** The authentication context classes that are understood, by what they need. */
const LEVELS: Readonly<Record<string, 0 | 1 | 2>> = {
  [CONTEXTS.unspecified]: 0,
  [CONTEXTS.password]: 1,
  'urn:oasis:names:tc:SAML:2.0:ac:classes:Password': 1,
  [CONTEXTS.multiFactor]: 2,
  'http://schemas.microsoft.com/claims/multipleauthn': 2,
};

/** The requested classes that are understood. */
export function knownClasses({ classes }: RequestedContexts): string[] {
  return classes.filter((name) => Object.hasOwn(LEVELS, name));
}

const levelOf = (name: string): number => LEVELS[name] ?? 0;

/** Whether only a sign-in with two factors satisfies the request. */
export function asksForTwoFactors(requested: RequestedContexts): boolean {
  const levels = knownClasses(requested).map(levelOf);
  if (requested.comparison === 'better') return Math.max(...levels) >= 1;
  return requested.comparison !== 'maximum' && Math.min(...levels) === 2;
}

/**
 * The class that is true of a sign-in and that the request accepts (SAML Core §3.3.2.2.1). A password that was followed
 * by a second factor was a password too.
 * @returns null if there is none
 */
export function contextOf({ amr, acr }: Proof, requested: RequestedContexts | null): string | null {
  const isTrue = (name: string) => {
    const level = levelOf(name);
    return level === 0 || (level === 1 ? amr.includes('pwd') : acr !== 'aal1');
  };
  const stated = [CONTEXTS.multiFactor, CONTEXTS.password, CONTEXTS.unspecified].filter(isTrue);
  if (!requested) return stated[0] ?? null;
  const classes = knownClasses(requested);
  if (classes.length === 0) return null;
  const levels = classes.map(levelOf);
  switch (requested.comparison) {
    case 'exact':
      return classes.find(isTrue) ?? null;
    case 'minimum':
      return stated.find((name) => levelOf(name) >= Math.min(...levels)) ?? null;
    case 'better':
      return stated.find((name) => levelOf(name) > Math.max(...levels)) ?? null;
    case 'maximum':
      return stated.find((name) => levelOf(name) <= Math.max(...levels)) ?? null;
    default:
      return null;
  }
}
