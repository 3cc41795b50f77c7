import { Type } from 'typebox';
import type { App } from '#platform/http.ts';
import type { WorkspaceId } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { post, type Routes } from '#platform/route.ts';
import type { System } from '#platform/system.ts';
import type { MessageId } from './messages.ts';
import { isSigned, type Report, type Reporter, referenceOf, reporters } from './receipt-signatures.ts';
import { receiptOf } from './receipts.ts';
import { RECEIPTS, receipt } from './texts.ts';

const REFERENCE = /^wrk_(\w{26})\.msg_(\w{26})$/;

/** The signature covers the raw body, so it is kept as text. */
async function asText(scope: App): Promise<void> {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser(
    ['application/json', 'application/x-www-form-urlencoded'],
    { parseAs: 'string', bodyLimit: 65_536 },
    (_request, body, done) => done(null, body),
  );
}

/** The delivery reports of carriers. */
export const receiptRoutes: Routes = [
  post(`${RECEIPTS}/:carrier`, {
    permission: 'public',
    counted: { uncounted: 'it accepts signed notices, which are checked before anything is written' },
    summary: 'Receive the delivery report of a carrier',
    description:
      'The carrier signs the report: Twilio and Vonage with their own schemes, others by Standard Webhooks with `receiptSecret`.',
    params: Type.Object({ carrier: Type.Enum([...reporters]) }),
    query: Type.Object({ reference: Type.Optional(Type.String({ maxLength: 70 })) }),
    responses: { 204: Type.Null() },
    problems: ['AUTHENTICATION_REQUIRED'],
    plugin: asText,
    handler: async (request) => {
      const { system } = request.server;
      const { carrier } = request.params;
      const { api } = system.config.addresses.production;
      const raw = typeof request.body === 'string' ? request.body : '';
      const form = request.headers['content-type']?.includes('urlencoded') ?? false;
      const report = { url: api + request.url, headers: request.headers, raw, fields: fieldsOf(raw, form) };
      await takeReport(system, carrier, { ...report, reference: request.query.reference ?? '' });
    },
  }),
];

function fieldsOf(raw: string, form: boolean): Record<string, string> {
  if (form) return Object.fromEntries(new URLSearchParams(raw));
  try {
    const parsed: unknown = JSON.parse(raw);
    return Object.fromEntries(Object.entries(Object(parsed)).map(([name, value]) => [name, String(value)]));
  } catch {
    return {};
  }
}

/** @throws Problem AUTHENTICATION_REQUIRED if no configured carrier signed the report */
async function takeReport(
  system: System,
  reporter: Reporter,
  { reference, ...report }: Report & { reference: string },
): Promise<void> {
  if (!isSigned(system, reporter, report))
    throw problem('AUTHENTICATION_REQUIRED', 'No configured carrier signed this report.');
  const stated = receiptOf(reporter, report.fields);
  const [, workspace, message] = REFERENCE.exec(referenceOf(reporter, report.fields, reference)) ?? [];
  if (stated === null || !workspace || !message) return;
  const workspaceId: WorkspaceId = `wrk_${workspace}`;
  const messageId: MessageId = `msg_${message}`;
  await receipt(system, { workspaceId, messageId }, stated);
}
