import { Value } from 'typebox/value';
import { ConnectionRef, connectionToTest } from '#connections';
import { inside } from '#organizations';
import { callingAhead } from '#platform/http-ahead.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { CONNECTION_FLOWS } from './connection-kinds.ts';
import { StartedTestSignIn, startTestSignIn, TestSignIn, TestSignInRef, testSignIn } from './test-sign-ins.ts';
import { recordTest, requireTesting, TESTING, TestedConnection } from './tested-connections.ts';

const ONE = '/v1/me/organizations/:organizationId/connections/:connectionId';

const TESTED = [...inside.problems, 'RATE_LIMIT_EXCEEDED'] as const;
const TAKES =
  'Takes `org.connections:write` in it, where the project’s setting `organizationSelfService` has `connections`.';

const check = callingAhead(async ({ ctx, params }) => {
  const ref = Value.Parse(ConnectionRef, params);
  await requireTesting(ctx, ref.organizationId);
  const connection = await connectionToTest(ctx, ref);
  return { connection, result: await CONNECTION_FLOWS[connection.kind].test(ctx, connection) };
});

/** Tests of the connections of an organization, for its members. */
export const ownConnectionTestRoutes: Routes = [
  post(`${ONE}/test`, {
    permission: 'customer',
    ahead: check.call,
    summary: 'Test a connection of one of my organizations',
    description: `${TAKES} Checks that the identity provider responds as configured; signs nobody in.`,
    params: ConnectionRef,
    responses: { 200: TestedConnection },
    problems: TESTED,
    handler: (request) => recordTest(request.ctx, check.resultFor(request)),
  }),
  post(`${ONE}/test-sign-ins`, {
    permission: 'customer',
    freshProof: 'any factor',
    summary: 'Start a test sign-in through a connection of one of my organizations',
    description: `${TAKES} Open \`url\` in a browser and sign in at the identity provider. Nobody is signed in, and no account changes.`,
    params: ConnectionRef,
    responses: { 201: StartedTestSignIn },
    problems: TESTED,
    handler: async ({ ctx, params }) => {
      await requireTesting(ctx, params.organizationId);
      return startTestSignIn(ctx, params, null);
    },
  }),
  get(`${ONE}/test-sign-ins/:testSignInId`, {
    permission: 'customer',
    summary: 'Read a test sign-in through a connection of one of my organizations',
    description: TAKES,
    params: TestSignInRef,
    responses: { 200: TestSignIn },
    problems: TESTED,
    handler: async ({ ctx, params }) => {
      await inside.require(ctx, params.organizationId, TESTING);
      return testSignIn(ctx, params);
    },
  }),
];
