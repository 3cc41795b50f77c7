import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { emit } from '#events';
import { transaction } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { callingAhead } from '#platform/http-ahead.ts';
import { PageOf, PageQuery } from '#platform/page.ts';
import { requireReceiver } from '#platform/receiver-address.ts';
import { del, get, patch, post, type Routes } from '#platform/route.ts';
import { OVERLAP_SECONDS, Rotation } from '#platform/signing-secrets.ts';
import {
  Action,
  ActionChanges,
  ActionRef,
  ActionWithSecret,
  about,
  createAction,
  deleteAction,
  findAction,
  getAction,
  listActions,
  NewAction,
  rotateActionSecret,
  updateAction,
} from './actions.ts';
import { ActionCall, listCalls } from './calls.ts';
import { ActionTest, tryAction } from './testing.ts';

const WithUrl = Type.Object({ url: Type.String() });

/**
 * Checks a new address, including DNS.
 * @throws Problem VALIDATION_FAILED
 */
async function ahead({ ctx, body }: Request): Promise<void> {
  if (Value.Check(WithUrl, body)) await requireReceiver(ctx, body.url);
}

const trial = callingAhead(async ({ ctx, params }) => {
  const action = await findAction(ctx, Value.Parse(ActionRef, params).actionId);
  return { action, result: await tryAction(ctx, action) };
});

export const actionRoutes: Routes = [
  get('/v1/admin/actions', {
    permission: 'actions:read',
    summary: 'List actions',
    query: PageQuery,
    responses: { 200: PageOf(Action) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listActions(request.ctx, request.query),
  }),
  post('/v1/admin/actions', {
    permission: 'actions:write',
    stepUp: true,
    ahead,
    summary: 'Add an action',
    description:
      'Latchkey calls the address at its moment and waits for the answer. Up to 20 per project environment. The response contains the signing secret, which is shown only once.',
    body: NewAction,
    responses: { 201: ActionWithSecret },
    problems: ['CONFLICT'],
    handler: (request) => createAction(request.ctx, request.body),
  }),
  get('/v1/admin/actions/:actionId', {
    permission: 'actions:read',
    etag: true,
    summary: 'Read an action',
    params: ActionRef,
    responses: { 200: Action },
    problems: ['NOT_FOUND'],
    handler: (request) => getAction(request.ctx, request.params.actionId),
  }),
  patch('/v1/admin/actions/:actionId', {
    permission: 'actions:write',
    stepUp: true,
    ahead,
    summary: 'Change an action',
    params: ActionRef,
    body: ActionChanges,
    responses: { 200: Action },
    problems: ['NOT_FOUND'],
    handler: (request) => updateAction(request.ctx, request.params.actionId, request.body),
  }),
  del('/v1/admin/actions/:actionId', {
    permission: 'actions:write',
    stepUp: true,
    summary: 'Remove an action',
    description: 'Its log is removed with it.',
    params: ActionRef,
    responses: { 204: Type.Null() },
    problems: ['NOT_FOUND'],
    handler: (request) => deleteAction(request.ctx, request.params.actionId),
  }),
  post('/v1/admin/actions/:actionId/secret/rotate', {
    permission: 'actions:write',
    stepUp: true,
    summary: 'Rotate the secret of an action',
    description: 'While both secrets are valid, every call has a signature of each.',
    params: ActionRef,
    body: Rotation,
    responses: { 200: ActionWithSecret },
    problems: ['NOT_FOUND', 'CONFLICT'],
    handler: (request) =>
      rotateActionSecret(request.ctx, request.params.actionId, request.body.overlapSeconds ?? OVERLAP_SECONDS),
  }),
  post('/v1/admin/actions/:actionId/test', {
    permission: 'actions:write',
    stepUp: false,
    ahead: trial.call,
    summary: 'Test an action',
    description:
      'Calls the action with an example, also while it is disabled, and returns the request and the answer. The body has `dryRun: true`.',
    params: ActionRef,
    responses: { 200: ActionTest },
    problems: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
    handler: async (request) => {
      const { action, result } = trial.resultFor(request);
      const { decision } = result;
      await transaction(request.ctx, (tx) => emit(tx, 'action.tested', { ...about(action), decision }));
      return result;
    },
  }),
  get('/v1/admin/actions/:actionId/calls', {
    permission: 'actions:read',
    summary: 'List the last calls of an action',
    description: 'Newest first, the last 500. Bodies and answers are not kept, because they are about people.',
    params: ActionRef,
    query: PageQuery,
    responses: { 200: PageOf(ActionCall) },
    problems: ['NOT_FOUND', 'INVALID_CURSOR'],
    handler: (request) => listCalls(request.ctx, request.params.actionId, request.query),
  }),
];
