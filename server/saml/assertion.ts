import { checkIssuer, type Expected, SKEW_MS } from './expected.ts';
import { SamlFault } from './fault.ts';
import { instantOf } from './instants.ts';
import { type NameId, nameIdOf } from './name-id.ts';
import { ASSERTION, BEARER } from './names.ts';
import { attribute, child, children, childrenNamed, type Element, is, textOf } from './xml.ts';

/** What a signed assertion says, after every check. */
export type AssertionContent = NameId & {
  id: string;
  /** Of the session at the identity provider, for logging out. */
  sessionIndex: string | null;
  authenticatedAt: Date | null;
  context: string | null;
  /** The values by the name of the attribute; also by its friendly name, unless that is another attribute's name. */
  attributes: Record<string, string[]>;
  /** When the assertion is no longer accepted, so its id need not be kept. */
  usableUntil: Date;
};

/**
 * Checks an assertion whose signature was verified (SAML Core §2.5, Profiles §4.1.4.3).
 * @throws SamlFault
 */
export function assertionContent(assertion: Element, expected: Expected): AssertionContent {
  const id = attribute(assertion, 'ID');
  if (id === null || id.length > 500 || attribute(assertion, 'Version') !== '2.0')
    throw new SamlFault('xml', 'The assertion has no ID or is not of SAML 2.0.');
  const issued = instantOf(assertion, 'IssueInstant');
  if (!issued || issued.getTime() > expected.now.getTime() + SKEW_MS)
    throw new SamlFault('time', 'The assertion was issued in the future. Compare the clocks.');
  const issuer = child(assertion, ASSERTION, 'Issuer');
  if (!issuer) throw new SamlFault('issuer', 'The assertion has no issuer.');
  checkIssuer(issuer, expected.entityId);
  const conditionsEnd = checkConditions(assertion, expected);
  const { named, confirmedUntil } = subjectOf(assertion, expected);
  const statement = statementOf(assertion, expected.now);
  return {
    id,
    ...named,
    ...statement,
    attributes: attributesOf(assertion),
    usableUntil: new Date(Math.min(confirmedUntil.getTime(), conditionsEnd?.getTime() ?? Infinity) + SKEW_MS),
  };
}

/** @returns NotOnOrAfter */
function checkPeriod(element: Element, now: Date): Date | null {
  const from = instantOf(element, 'NotBefore');
  if (from && now.getTime() < from.getTime() - SKEW_MS)
    throw new SamlFault('time', `The assertion is valid from ${from.toISOString()}, and it is ${now.toISOString()}.`);
  const until = instantOf(element, 'NotOnOrAfter');
  if (until && now.getTime() >= until.getTime() + SKEW_MS)
    throw new SamlFault(
      'time',
      `The assertion was valid until ${until.toISOString()}, and it is ${now.toISOString()}.`,
    );
  return until;
}

/** Conditions that nothing has to be done for. */
const KNOWN_CONDITIONS = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];

function checkConditions(assertion: Element, { audience, now }: Expected): Date | null {
  const conditions = child(assertion, ASSERTION, 'Conditions');
  if (!conditions) throw new SamlFault('audience', 'The assertion names no audience.');
  const until = checkPeriod(conditions, now);
  for (const condition of children(conditions))
    if (!KNOWN_CONDITIONS.some((name) => is(condition, ASSERTION, name)))
      throw new SamlFault('audience', `The assertion has the unknown condition ${condition.localName}.`);
  const restrictions = childrenNamed(conditions, ASSERTION, 'AudienceRestriction');
  const audiences = restrictions.map((restriction) => childrenNamed(restriction, ASSERTION, 'Audience').map(textOf));
  if (restrictions.length === 0 || !audiences.every((named) => named.includes(audience)))
    throw new SamlFault(
      'audience',
      `The assertion is for ${audiences.flat().join(', ').slice(0, 300) || 'no audience'}, but this is ${audience}.`,
    );
  return until;
}

function subjectOf(assertion: Element, expected: Expected) {
  const subject = child(assertion, ASSERTION, 'Subject');
  if (!subject) throw new SamlFault('subject', 'The assertion has no subject.');
  const named = nameIdOf(child(subject, ASSERTION, 'NameID'));
  const bearers = childrenNamed(subject, ASSERTION, 'SubjectConfirmation').filter(
    (confirmation) => attribute(confirmation, 'Method') === BEARER,
  );
  const faults: unknown[] = [];
  for (const bearer of bearers) {
    try {
      return { named, confirmedUntil: confirmed(bearer, expected) };
    } catch (fault) {
      faults.push(fault);
    }
  }
  throw faults[0] ?? new SamlFault('subject', 'The assertion has no bearer confirmation.');
}

/** @returns until when a bearer may present the assertion */
function confirmed(bearer: Element, { recipient, requestId, now }: Expected): Date {
  const data = child(bearer, ASSERTION, 'SubjectConfirmationData');
  if (!data) throw new SamlFault('subject', 'The bearer confirmation has no data.');
  const to = attribute(data, 'Recipient');
  if (to !== recipient)
    throw new SamlFault('recipient', `The assertion is for ${to ?? 'no recipient'}, but this is ${recipient}.`);
  const until = checkPeriod(data, now);
  if (!until) throw new SamlFault('time', 'The bearer confirmation has no NotOnOrAfter.');
  // An assertion that answers a request never begins a sign-in by itself, and the other way round.
  if (attribute(data, 'InResponseTo') !== requestId)
    throw new SamlFault(
      'in_response_to',
      requestId === null
        ? 'The assertion answers a request, which this browser did not send.'
        : 'The assertion does not answer the request of this browser.',
    );
  return until;
}

function statementOf(assertion: Element, now: Date) {
  const [statement] = childrenNamed(assertion, ASSERTION, 'AuthnStatement');
  if (!statement) throw new SamlFault('subject', 'The assertion does not say that the person signed in.');
  const until = instantOf(statement, 'SessionNotOnOrAfter');
  if (until && now.getTime() >= until.getTime() + SKEW_MS)
    throw new SamlFault('time', 'The session at the identity provider is over.');
  const context = child(statement, ASSERTION, 'AuthnContext');
  const reference = context && child(context, ASSERTION, 'AuthnContextClassRef');
  return {
    sessionIndex: attribute(statement, 'SessionIndex'),
    authenticatedAt: instantOf(statement, 'AuthnInstant'),
    context: reference ? textOf(reference) : null,
  };
}

function attributesOf(assertion: Element): Record<string, string[]> {
  const found = childrenNamed(assertion, ASSERTION, 'AttributeStatement')
    .flatMap((statement) => childrenNamed(statement, ASSERTION, 'Attribute'))
    .map((element) => ({
      name: attribute(element, 'Name') ?? '',
      friendly: attribute(element, 'FriendlyName'),
      // A value of elements, such as a NameID, is no text that a field could have.
      values: childrenNamed(element, ASSERTION, 'AttributeValue')
        .filter((value) => children(value).length === 0)
        .map(textOf),
    }));
  const attributes = new Map<string, string[]>();
  for (const { name, values } of found) attributes.set(name, [...(attributes.get(name) ?? []), ...values]);
  const names = new Set(attributes.keys());
  for (const { friendly, values } of found)
    if (friendly !== null && !names.has(friendly))
      attributes.set(friendly, [...(attributes.get(friendly) ?? []), ...values]);
  return Object.fromEntries(attributes);
}
