import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { TestLatchkey } from './harness.ts';

type CarrierCall = { carrier: string; path: string; headers: IncomingHttpHeaders; body: string };
type CarrierResponse = { status: number; body: unknown } | 'hang up';

/** A local server with the protocols of all carriers. */
export type LocalCarrier = {
  host: string;
  calls: CarrierCall[];
  /** The response of each carrier; by default it accepts. */
  responses: Map<string, CarrierResponse>;
  /** Called when a message has arrived, before the response. */
  onCall: (call: CarrierCall) => void;
  stop: () => void;
};

/** Vonage always responds 200; the body contains the result. */
const ACCEPTED: Readonly<Record<string, CarrierResponse>> = {
  twilio: { status: 201, body: { sid: 'SM1', status: 'queued' } },
  vonage: { status: 200, body: { messages: [{ status: '0', 'message-id': '1' }] } },
  generic: { status: 202, body: {} },
};

export async function startCarrier(): Promise<LocalCarrier> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = await Array.fromAsync(request);
    const path = request.url ?? '';
    const carrier = path.startsWith('/2010') ? 'twilio' : path.startsWith('/sms') ? 'vonage' : 'generic';
    const call = { carrier, path, headers: request.headers, body: Buffer.concat(chunks).toString() };
    local.calls.push(call);
    local.onCall(call);
    const result = local.responses.get(carrier) ?? ACCEPTED[carrier];
    if (result === undefined || result === 'hang up') return request.socket.destroy();
    return response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const local: LocalCarrier = {
    host: `127.0.0.1:${address.port}`,
    calls: [],
    responses: new Map(),
    onCall: () => undefined,
    stop: () => server.close(),
  };
  return local;
}

/** The ledger entries of a kind, and the row of the newest message, in production. */
export async function smsRows(latchkey: TestLatchkey) {
  // Reads messages first: metering commits with them, so the ledger entries read afterwards include theirs.
  const { rows: messages } = await latchkey.system.pool.query(
    `select id, workspace_id, status, provider, error from messages where channel = 'sms' order by id`,
  );
  const { rows: segments } = await latchkey.system.pool.query(
    `select reference, part from sms_ledger where kind = 'segment' order by id`,
  );
  const { rows: periods } = await latchkey.system.pool.query(
    'select used, reserved from sms_periods where closed_at is null',
  );
  return { segments, messages, last: messages.at(-1), period: periods[0] };
}
