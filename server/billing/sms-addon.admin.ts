import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Routes } from '#platform/http.ts';
import { askedAhead } from '#platform/http-ahead.ts';
import { IdSchema } from '#platform/ids.ts';
import { PageOf, PageQuery, pageOfWhole } from '#platform/page.ts';
import { problemResponses } from '#platform/problem.ts';
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
    description: 'Where to pay first; the add-on is active once that is done. Null: nothing is left to do.',
  }),
});

const Subscribing = Type.Object(
  { tierId: Type.String({ minLength: 1, maxLength: 40 }) },
  { additionalProperties: false },
);
const checkout = askedAhead(({ ctx, body }) => askForCheckout(ctx, Value.Parse(Subscribing, body).tierId));

export const smsAddOnRoutes: Routes = (app) => {
  app.get(
    `${ADDON}/status`,
    {
      config: { permission: 'billing:read' },
      schema: { summary: 'Read the status of the SMS add-on', response: { 200: AddOnStatus } },
    },
    (request) => addOnStatus(request.ctx),
  );

  app.get(
    `${ADDON}/tiers`,
    {
      config: { permission: 'billing:read' },
      schema: {
        summary: 'List the tiers of the SMS add-on',
        querystring: PageQuery,
        response: { 200: PageOf(Tier), ...problemResponses('INVALID_CURSOR') },
      },
    },
    ({ ctx, query }) =>
      pageOfWhole(ctx, ctx.system.config.smsTiers.map(shownTier), { list: 'sms-tiers', query, keyOf: ({ id }) => id }),
  );

  app.post(
    `${ADDON}/subscribe`,
    {
      config: { permission: 'billing:write', stepUp: false, ahead: checkout.ask },
      schema: {
        summary: 'Subscribe to the SMS add-on, or change its tier',
        description:
          'A bigger tier holds at once and costs the difference for the rest of the period; another one holds from the next period. The tier that holds already takes a scheduled change or cancellation back.',
        body: Subscribing,
        response: { 200: Subscribed, ...problemResponses('CONFLICT', 'SERVICE_UNAVAILABLE') },
      },
    },
    (request) => startSubscription(request.ctx, request.body.tierId, checkout.answerFor(request)),
  );

  app.post(
    `${ADDON}/cancel`,
    {
      config: { permission: 'billing:write', stepUp: false },
      schema: {
        summary: 'Cancel the SMS add-on',
        body: Type.Object(
          { atPeriodEnd: Type.Optional(Type.Boolean({ description: 'False: at once. True when left out.' })) },
          { additionalProperties: false },
        ),
        response: { 200: AddOnStatus, ...problemResponses('CONFLICT') },
      },
    },
    (request) => cancel(request.ctx, request.body.atPeriodEnd ?? true),
  );

  app.post(
    `${ADDON}/resume`,
    {
      config: { permission: 'billing:write', stepUp: false },
      schema: {
        summary: 'Take a cancellation of the SMS add-on back',
        body: nothing,
        response: { 200: AddOnStatus, ...problemResponses('CONFLICT') },
      },
    },
    (request) => resume(request.ctx),
  );
};

export const smsUsageRoutes: Routes = (app) => {
  app.get(
    `${ADDON}/usage`,
    {
      config: { permission: 'billing:read' },
      schema: {
        summary: 'List the usage of the SMS add-on',
        description:
          'The ledger, newest first: one entry for every segment that a carrier took and every movement of money.',
        querystring: LedgerQuery,
        response: { 200: PageOf(LedgerEntry), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listEntries(request.ctx, request.query),
  );

  app.get(
    `${ADDON}/statements`,
    {
      config: { permission: 'billing:read' },
      schema: {
        summary: 'List the statements of the SMS add-on',
        description: 'One for every period that is over.',
        querystring: PageQuery,
        response: { 200: PageOf(Statement), ...problemResponses('INVALID_CURSOR') },
      },
    },
    (request) => listStatements(request.ctx, request.query),
  );

  app.get(
    `${ADDON}/statements/:statementId`,
    {
      config: { permission: 'billing:read', etag: true },
      schema: {
        summary: 'Read a statement of the SMS add-on',
        params: Type.Object({ statementId: IdSchema('stm') }),
        response: { 200: Statement, ...problemResponses('NOT_FOUND') },
      },
    },
    (request) => findStatement(request.ctx, request.params.statementId),
  );
};
