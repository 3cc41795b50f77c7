import { Value } from 'typebox/value';
import { ConnectionRef, connectionToTest } from '#connections';
import { callingAhead } from '#platform/http-ahead.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { CONNECTION_FLOWS } from './connection-kinds.ts';
import { StartedTestSignIn, startTestSignIn, TestSignIn, TestSignInRef, testSignIn } from './test-sign-ins.ts';
import { recordTest, TestedConnection } from './tested-connections.ts';

const check = callingAhead(async ({ ctx, params }) => {
  const connection = await connectionToTest(ctx, Value.Parse(ConnectionRef, params));
  return { connection, result: await CONNECTION_FLOWS[connection.kind].test(ctx, connection) };
});

export const connectionTestRoutes: Routes = [
  post('/v1/admin/organizations/:organizationId/connections/:connectionId/test', {
    permission: 'organizations:write',
    stepUp: false,
    ahead: check.call,
    summary: 'Test a connection of an organization',
    description: 'Checks that the identity provider responds as configured; signs nobody in. It may be disabled.',
    params: ConnectionRef,
    responses: { 200: TestedConnection },
    problems: ['NOT_FOUND'],
    handler: (request) => recordTest(request.ctx, check.resultFor(request)),
  }),
  post('/v1/admin/organizations/:organizationId/connections/:connectionId/test-sign-ins', {
    permission: 'organizations:write',
    stepUp: false,
    summary: 'Start a test sign-in through a connection',
    description:
      'Open `url` in a browser and sign in at the identity provider. What it says, and what a sign-in would do with it, is explained at the test sign-in for a day. Nobody is signed in, and no account changes. The connection may be disabled.',
    params: ConnectionRef,
    responses: { 201: StartedTestSignIn },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => startTestSignIn(ctx, params, null),
  }),
  get('/v1/admin/organizations/:organizationId/connections/:connectionId/test-sign-ins/:testSignInId', {
    permission: 'organizations:write',
    summary: 'Read a test sign-in',
    params: TestSignInRef,
    responses: { 200: TestSignIn },
    problems: ['NOT_FOUND'],
    handler: ({ ctx, params }) => testSignIn(ctx, params),
  }),
];
