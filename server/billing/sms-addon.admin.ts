import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { callingAhead } from '#platform/http-ahead.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { LedgerEntry, LedgerQuery, listEntries } from './ledger.ts';
import { askForCheckout, startSubscription } from './payments.ts';
import { findStatement, listStatements, Statement } from './statements.ts';
import { AddOnStatus, addOnStatus, cancel, resume } from './subscriptions.ts';
import { shownTier, Tier } from './tiers.ts';

const ADDON = '/v1/admin/billing/addons/sms';
const nothing = Type.Object({}, { additionalProperties: false });
const Subscribed = Type.Object({
  ...AddOnStatus.properties,
  checkoutUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'The address of the checkout; the add-on becomes active when it is paid. Null: no payment is needed.',
  }),
});

const Subscribing = Type.Object(
  { tierId: Type.String({ minLength: 1, maxLength: 40 }) },
  { additionalProperties: false },
);
const checkout = callingAhead(({ ctx, body }) => askForCheckout(ctx, Value.Parse(Subscribing, body).tierId));

export const smsAddOnRoutes: Routes = [
  get(`${ADDON}/status`, {
    permission: 'billing:read',
    summary: 'Read the status of the SMS add-on',
    responses: { 200: AddOnStatus },
    handler: (request) => addOnStatus(request.ctx),
  }),
  get(`${ADDON}/tiers`, {
    permission: 'billing:read',
    summary: 'List the tiers of the SMS add-on',
    query: PageQuery,
    responses: { 200: PageOf(Tier) },
    problems: ['INVALID_CURSOR'],
    handler: ({ ctx, query }) =>
      pageOfWhole(ctx, ctx.system.config.smsTiers.map(shownTier), {
        list: 'sms-tiers',
        query,
        positionOf: (_, index) => [index],
      }),
  }),
  post(`${ADDON}/subscribe`, {
    permission: 'billing:write',
    stepUp: false,
    ahead: checkout.call,
    summary: 'Subscribe to the SMS add-on, or change its tier',
    description:
      'A larger tier applies immediately and costs the difference for the rest of the period; a smaller one applies from the next period. Choosing the current tier cancels a scheduled change or cancellation.',
    body: Subscribing,
    responses: { 200: Subscribed },
    problems: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    handler: (request) => startSubscription(request.ctx, request.body.tierId, checkout.resultFor(request)),
  }),
  post(`${ADDON}/cancel`, {
    permission: 'billing:write',
    stepUp: false,
    summary: 'Cancel the SMS add-on',
    body: Type.Object(
      {
        atPeriodEnd: Type.Optional(
          Type.Boolean({ description: 'False cancels immediately; true, the default, at the end of the period.' }),
        ),
      },
      { additionalProperties: false },
    ),
    responses: { 200: AddOnStatus },
    problems: ['CONFLICT'],
    handler: (request) => cancel(request.ctx, request.body.atPeriodEnd ?? true),
  }),
  post(`${ADDON}/resume`, {
    permission: 'billing:write',
    stepUp: false,
    summary: 'Withdraw the cancellation of the SMS add-on',
    body: nothing,
    responses: { 200: AddOnStatus },
    problems: ['CONFLICT'],
    handler: (request) => resume(request.ctx),
  }),
  get(`${ADDON}/usage`, {
    permission: 'billing:read',
    summary: 'List the usage of the SMS add-on',
    description:
      'The ledger, newest first: one entry for every segment that a carrier accepted, every charge and every payment.',
    query: LedgerQuery,
    responses: { 200: PageOf(LedgerEntry) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listEntries(request.ctx, request.query),
  }),
  get(`${ADDON}/statements`, {
    permission: 'billing:read',
    summary: 'List the statements of the SMS add-on',
    description: 'One for each past period.',
    query: PageQuery,
    responses: { 200: PageOf(Statement) },
    problems: ['INVALID_CURSOR'],
    handler: (request) => listStatements(request.ctx, request.query),
  }),
  get(`${ADDON}/statements/:statementId`, {
    permission: 'billing:read',
    etag: true,
    summary: 'Read a statement of the SMS add-on',
    params: Type.Object({ statementId: IdSchema('stm') }),
    responses: { 200: Statement },
    problems: ['NOT_FOUND'],
    handler: (request) => findStatement(request.ctx, request.params.statementId),
  }),
];
