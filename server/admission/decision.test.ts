import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { readSources } from '#tests/boundaries/sources.ts';
import { startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { dereferenced } from '#tests/openapi.ts';
import { type Decision, decide, dependsOnFactors, type Evidence, type OrganizationRefusal } from './decision.ts';
import { ENTRANCES, type Entrance } from './entrances.ts';

type Cell = { entrance: Entrance; evidence: Evidence };
type Rule = { when: string; holds: (cell: Cell) => boolean; outcome: string; decision: Decision };

const kindOf = ({ entrance }: Cell) => ENTRANCES[entrance].kind;
const signsIn = (cell: Cell) => kindOf(cell) === 'sign_in' || kindOf(cell) === 'second_step';
const refused = (because: Extract<Decision, { kind: 'refused' }>['because']): Decision => ({
  kind: 'refused',
  because,
});
const needs = (what: Extract<Decision, { kind: 'needs' }>['what']): Decision => ({ kind: 'needs', what });
const ADMITTED: Decision = { kind: 'admitted', by: 'proof', joins: false };
const isSamePhone = ({ evidence: { enrolled, proof } }: Cell) =>
  enrolled.every((type) => type === 'phone') && proof.amr.includes('sms');

/** The rules in order; the first match decides. The security model contains them. */
const RULES: readonly Rule[] = [
  {
    when: 'The project is to be deleted',
    holds: ({ evidence }) => evidence.project.closed,
    outcome: 'refused: `MEMBERSHIP_REQUIRED`',
    decision: refused('closed'),
  },
  {
    when: "The entrance is for the project's own applications, and somebody else's is used",
    holds: ({ entrance, evidence }) => ENTRANCES[entrance].firstPartyOnly && evidence.party === 'third',
    outcome: 'refused: `WRONG_TOKEN_KIND`',
    decision: refused('third_party'),
  },
  {
    when: 'The member is blocked',
    holds: ({ evidence }) => evidence.member === 'blocked',
    outcome: 'refused: `MEMBER_BLOCKED`',
    decision: refused('blocked'),
  },
  {
    when: 'The person is no active member, unless they are signing in where registration is open: then they join',
    holds: (cell) =>
      cell.evidence.member !== 'active' && !(signsIn(cell) && cell.evidence.project.registration === 'open'),
    outcome: 'refused: `MEMBERSHIP_REQUIRED`',
    decision: refused('not_a_member'),
  },
  {
    when: 'The person is not in the organization that they want to enter, or there is no such organization',
    holds: ({ evidence }) => evidence.organization === 'no_organization',
    outcome: 'refused: `NOT_FOUND`',
    decision: refused('no_organization'),
  },
  {
    when: 'The organization is blocked',
    holds: ({ evidence }) => evidence.organization === 'organization_blocked',
    outcome: 'refused: `ORGANIZATION_BLOCKED`',
    decision: refused('organization_blocked'),
  },
  {
    when: 'The policy of the organization does not list the address of the request',
    holds: ({ evidence }) => evidence.organization === 'organization_address',
    outcome: 'refused: `ORGANIZATION_ADDRESS`',
    decision: refused('organization_address'),
  },
  {
    when: 'The policy of the organization allows none of the ways in which the person signed in',
    holds: ({ evidence }) => evidence.organization === 'organization_method',
    outcome: 'refused: `ORGANIZATION_METHOD`',
    decision: refused('organization_method'),
  },
  {
    when: 'The person signed in only through a connection of an organization that is disabled, or of another project, or that has another identity provider since, or they left the organization, or have a role that they did not confirm the connection with',
    holds: ({ evidence }) => evidence.organization === 'foreign_connection',
    outcome: 'refused: `REAUTHENTICATION_REQUIRED`',
    decision: refused('foreign_connection'),
  },
  {
    when: 'The proof is older than the application asks (`max_age`), or than the policy of the organization allows',
    holds: ({ evidence: { asked, proof } }) => asked.maxAge !== null && proof.age > asked.maxAge,
    outcome: 'a fresh proof',
    decision: needs('fresh_proof'),
  },
  {
    when: 'Two factors were shown',
    holds: ({ evidence }) => evidence.proof.acr !== 'aal1',
    outcome: 'admitted',
    decision: ADMITTED,
  },
  {
    when: 'The project asks for no second factor (`mfa: off`), nor does the application (`acr_values`, essential `acr`)',
    holds: ({ evidence: { project, asked } }) => project.mfa === 'off' && asked.secondFactor === 'no',
    outcome: 'admitted',
    decision: ADMITTED,
  },
  {
    when: 'A factor is set up, the device is remembered, the project allows that, and the application does not ask for two factors',
    holds: ({ evidence: { project, proof, asked, enrolled } }) =>
      enrolled.length > 0 && proof.remembered && project.remembersDevices && asked.secondFactor === 'no',
    outcome: 'admitted, as one factor',
    decision: { kind: 'admitted', by: 'remembered_device', joins: false },
  },
  {
    when: 'A factor is set up that is another authenticator than the first',
    holds: (cell) => cell.evidence.enrolled.length > 0 && !isSamePhone(cell),
    outcome: 'a second factor',
    decision: needs('second_factor'),
  },
  {
    when: 'Only the phone that was the first factor is set up, the person has another way in, and they are signing in with a code to it',
    holds: (cell) =>
      cell.evidence.enrolled.length > 0 &&
      cell.evidence.otherWayIn &&
      cell.evidence.project.mfa !== 'off' &&
      kindOf(cell) === 'sign_in',
    outcome: 'refused: `METHOD_DISABLED`',
    decision: refused('same_phone'),
  },
  {
    when: 'The same, where a session is used',
    holds: ({ evidence: { enrolled, otherWayIn, project } }) =>
      enrolled.length > 0 && otherWayIn && project.mfa !== 'off',
    outcome: 'a second factor',
    decision: needs('second_factor'),
  },
  {
    when: 'Nothing else is set up, and the project or the organization requires a second factor (`mfa: required`)',
    holds: ({ evidence }) => evidence.project.mfa === 'required',
    outcome: 'to set one up',
    decision: needs('enrolment'),
  },
  {
    when: 'Nothing else is set up, and two factors are essential to the application',
    holds: ({ evidence }) => evidence.asked.secondFactor === 'essential',
    outcome: 'refused: `unmet_authentication_requirements`',
    decision: refused('unmet'),
  },
  { when: 'Otherwise', holds: () => true, outcome: 'admitted', decision: ADMITTED },
];

const entrances = Object.keys(ENTRANCES).filter((name): name is Entrance => name in ENTRANCES);

/** The Cartesian product of two lists of records. */
const each = <A extends object, B extends object>(some: readonly A[], others: readonly B[]): (A & B)[] =>
  some.flatMap((a) => others.map((b) => ({ ...a, ...b })));
const of = <Name extends string, Value>(name: Name, values: readonly Value[]) =>
  values.map((value) => Object.assign<object, Record<Name, Value>>({}, record(name, value)));
function record<Name extends string, Value>(name: Name, value: Value): Record<Name, Value>;
function record(name: string, value: unknown) {
  return { [name]: value };
}

const yesNo = [true, false] as const;
const modes: Evidence['project']['mfa'][] = ['off', 'optional', 'required'];
const open: Evidence['project']['registration'][] = ['open', 'closed'];
const projects = each(
  each(of('mfa', modes), of('closed', yesNo)),
  each(of('registration', open), of('remembersDevices', yesNo)),
);
const proofs = each(
  each(of('amr', [['pwd'], ['sms']]), of('acr', ['aal1', 'aal2'])),
  each(of('age', [0, 3_600]), of('remembered', yesNo)),
);
const members: Evidence['member'][] = ['active', 'invited', 'blocked', null];
const sets: Evidence['enrolled'][] = [[], ['totp'], ['phone'], ['passkey'], ['totp', 'phone']];
const people = each(each(of('member', members), of('enrolled', sets)), of('otherWayIn', yesNo));
const wishes: Evidence['asked']['secondFactor'][] = ['no', 'wished', 'essential'];
const parties: Evidence['party'][] = ['first', 'third'];
const questions = each(of('asked', each(of('secondFactor', wishes), of('maxAge', [null, 600]))), of('party', parties));

const refusals: OrganizationRefusal[] = [
  'no_organization',
  'organization_blocked',
  'organization_address',
  'organization_method',
  'foreign_connection',
];

/**
 * All questions with all proofs. Refusals by an organization are combined with only two proofs, because they are decided
 * before the proof matters.
 */
const situations = [
  ...each(each(of('proof', proofs), questions), of('organization', [null])),
  ...each(of('organization', refusals), each(of('proof', proofs.slice(-2)), questions)),
];

/** Every combination of inputs to a decision about an entrance. */
function* cellsOf(entrance: Entrance): Generator<Cell> {
  for (const project of projects)
    for (const person of people)
      for (const situation of situations) yield { entrance, evidence: { project, ...person, ...situation } };
}

const keyOf = (decision: Decision) => Object.values(decision).join(' ');

/** The result of the first rule that matches. */
function expected(cell: Cell): string {
  const rule = RULES.find(({ holds }) => holds(cell));
  assert.ok(rule);
  const { decision } = rule;
  return keyOf(decision.kind === 'admitted' ? { ...decision, joins: cell.evidence.member !== 'active' } : decision);
}

describe('the table of admission', () => {
  for (const entrance of entrances)
    test(`${entrance}: every combination is decided as the table says`, () => {
      for (const cell of cellsOf(entrance)) {
        const { evidence } = cell;
        const found = keyOf(decide(entrance, evidence));
        if (found !== expected(cell)) assert.fail(`${expected(cell)}, not ${found}: ${JSON.stringify(cell)}`);
        if (dependsOnFactors(entrance, evidence)) continue;
        const without = {
          ...evidence,
          enrolled: [],
          otherWayIn: false,
          proof: { ...evidence.proof, remembered: false },
        };
        assert.equal(keyOf(decide(entrance, without)), found, 'what is not read decides nothing');
      }
    });

  test('is documented in the security model', async () => {
    const page = await readFile(new URL('../../docs/security-model.md', import.meta.url), 'utf8');
    const rows = RULES.map(({ when, outcome: response }, at) => `| ${at + 1} | ${when} | ${response} |`);
    assert.equal(tableIn(page, 'admission'), ['| | When | The answer |', '|---|---|---|', ...rows].join('\n'));
  });

  test('every entrance is documented there', async () => {
    const page = await readFile(new URL('../../docs/security-model.md', import.meta.url), 'utf8');
    const rows = entrances.map((name) => {
      const { kind, firstPartyOnly } = ENTRANCES[name];
      return `| \`${name}\` | ${WAYS[name]} | ${DOES[kind]} | ${firstPartyOnly ? 'own' : 'any'} |`;
    });
    const head = ['| Entrance | Way | What it does | Applications |', '|---|---|---|---|'];
    assert.equal(tableIn(page, 'entrances'), [...head, ...rows].join('\n'));
  });
});

const DOES: Readonly<Record<(typeof ENTRANCES)[Entrance]['kind'], string>> = {
  sign_in: 'begins a session',
  second_step: 'begins a session with two factors',
  session: 'takes a session into a project',
  browser: "asks the browser's session, and has the person sign in",
  renewal: 'lets what was admitted go on',
};

/** The routes and pages of every entrance. */
const WAYS: Readonly<Record<Entrance, string>> = {
  password: '`POST /v1/auth/login/password`',
  magic_link: '`POST /v1/auth/login/magic-link/verify`, `POST /v1/auth/login/social/exchange`, the mailed link',
  email_code: '`POST /v1/auth/login/email-code/verify`',
  phone_code: '`POST /v1/auth/login/phone/verify`',
  verified_address: '`POST /v1/auth/email/verify`, `POST /v1/auth/phone/verify`, the mailed link',
  social: '`POST /v1/auth/login/social/exchange`',
  connection: '`POST /v1/auth/login/social/exchange`',
  passkey: '`POST /v1/auth/login/passkey/verify`',
  registration: '`POST /v1/auth/register`, `POST /v1/auth/email/verify`, `POST /v1/auth/phone/verify`, the mailed link',
  invitation: '`POST /v1/auth/register`, `POST /v1/auth/invitations/accept`, the mailed link',
  second_factor: '`POST /v1/auth/mfa/verify`',
  factor_enrolment: '`POST /v1/auth/mfa/enroll/confirm`',
  switch_context: '`POST /v1/sessions/switch-context`',
  accepted_invitation: '`POST /v1/auth/invitations/accept`',
  authorize: '`GET /connect/authorize`, `GET /connect/device`',
  account_page: '`/account`',
  console: '`/console/callback`',
  refresh: '`POST /v1/sessions/refresh`',
  oidc_token: '`POST /connect/token`',
  reauthenticate: '`POST /v1/auth/reauthenticate`',
};

function tableIn(page: string, name: string): string | undefined {
  return new RegExp(`<!-- table: ${name} -->\\n+([\\s\\S]*?)\\n+<!-- /table -->`).exec(page)?.[1];
}

describe('entrances', () => {
  let latchkey: TestLatchkey;
  before(async () => {
    latchkey = await startTestLatchkey();
  });
  after(() => latchkey.stop());

  test('every route that returns a session belongs to an entrance', async () => {
    const body = dereferenced((await latchkey.auth('/openapi.json')).body);
    const found = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) => {
        const { responses, security: _security } = Object(operation);
        return JSON.stringify(responses?.['200'] ?? {}).includes('access_token')
          ? [`\`${method.toUpperCase()} ${path}\``]
          : [];
      }),
    );
    const named = Object.values(WAYS).join(' ');
    const gone = [...named.matchAll(/`POST (\/v1\/[^`]*)`/g)].filter(([, path = '']) => body.paths[path] === undefined);
    assert.deepEqual(gone, []);
    assert.ok(found.length > 10, found.join(' '));
    assert.deepEqual(
      found.filter((route) => !named.includes(route)),
      [],
    );
  });

  test('sessions start, continue and are raised only in code that names an entrance', async () => {
    const sources = await readSources();
    const callers = sources
      .filter(
        ({ path, text }) =>
          !path.startsWith('sessions/') && /\b(startSession|beginSession|enterProject|raiseSession)\(/.test(text),
      )
      .map(({ path }) => path);
    assert.deepEqual(callers.filter((path) => !path.includes('test')).sort(), [
      'oidc/admission.ts',
      'self/reauthentication.ts',
      'sign-in/sessions.ts',
      'ways/sign-in.ts',
    ]);
  });
});
