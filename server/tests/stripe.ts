import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import Stripe from 'stripe';

const WEBHOOK_SECRET = 'whsec_of_the_tests';
const KEY = 'sk_test_of_the_tests';

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields freely and assert what they expect
type Fields = Record<string, any>;
type Subscription = {
  id: string;
  object: 'subscription';
  customer: string;
  status: 'active' | 'canceled';
  items: { object: 'list'; data: { id: string; price: { id: string } }[] };
  cancel_at_period_end: boolean;
  billing_cycle_anchor: number;
  metadata: Record<string, string>;
};
type Asked = { method: string; path: string; fields: Fields };
type Result = { status: number; body: unknown };

/** A local server with Stripe's wire format, which records its requests. */
export type LocalStripe = {
  /** The value of `LATCHKEY_PAYMENTS_URL`. */
  url: string;
  /** Every request that was processed, without replays. */
  asked: Asked[];
  sessions: Map<string, Fields>;
  subscriptions: Map<string, Subscription>;
  meterEvents: Map<string, Fields>;
  invoiceItems: Fields[];
  /** `away`: responds 500. `mute`: processes the request, then closes the connection without a response. */
  mood: 'well' | 'away' | 'mute';
  /**
   * Pays in the checkout.
   * @returns the completed session, and its subscription
   */
  pay: (sessionId: string, now: Date) => { session: Fields; subscription: Subscription };
  stop: () => void;
};

let made = 0;
const newId = (prefix: string) => {
  made += 1;
  return `${prefix}_${String(made).padStart(14, '0')}`;
};

/** Stripe's form encoding: `a[b][0]=c`. */
function nested(form: URLSearchParams): Fields {
  const root: Fields = {};
  for (const [name, value] of form) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    const last = path.pop() ?? '';
    let at = root;
    for (const part of path) at = at[part] ??= {};
    at[last] = value;
  }
  return root;
}

const refusal = (status: number, error: Fields): Result => ({ status, body: { error } });
const invalid = (message: string) => refusal(400, { type: 'invalid_request_error', message });
const missing = (what: string) =>
  refusal(404, { type: 'invalid_request_error', code: 'resource_missing', message: what });

class Ledger {
  readonly asked: Asked[] = [];
  readonly customers = new Map<string, Fields>();
  readonly sessions = new Map<string, Fields>();
  readonly subscriptions = new Map<string, Subscription>();
  readonly meterEvents = new Map<string, Fields>();
  readonly invoiceItems: Fields[] = [];
  readonly #results = new Map<string, { request: string; result: Result }>();

  /** Replays the response for a known key; the same key with another request is an error, as at Stripe. */
  resultOf(asked: Asked, idempotencyKey: string | undefined): Result {
    const request = JSON.stringify(asked);
    const known = idempotencyKey === undefined ? undefined : this.#results.get(idempotencyKey);
    if (known && known.request !== request)
      return refusal(400, { type: 'idempotency_error', message: 'Keys can only be used with the same parameters.' });
    if (known) return known.result;
    this.asked.push(asked);
    const result = this.#work(asked);
    if (idempotencyKey !== undefined) this.#results.set(idempotencyKey, { request, result });
    return result;
  }

  #work({ method, path, fields }: Asked): Result {
    const [, subscription] = /^\/v1\/subscriptions\/(\w+)$/.exec(path) ?? [];
    if (subscription !== undefined) return this.#subscription(method, subscription, fields);
    switch (`${method} ${path}`) {
      case 'POST /v1/customers':
        return this.#made(this.customers, 'cus', { object: 'customer', ...fields });
      case 'POST /v1/checkout/sessions':
        return this.#checkout(fields);
      case 'POST /v1/billing/meter_events':
        return this.#meter(fields);
      case 'POST /v1/invoiceitems':
        this.invoiceItems.push(fields);
        return { status: 200, body: { id: newId('ii'), object: 'invoiceitem', ...fields } };
      default:
        return missing(`Unrecognized request URL (${method}: ${path}).`);
    }
  }

  #made(into: Map<string, Fields>, prefix: string, body: Fields): Result {
    const id = newId(prefix);
    into.set(id, { id, ...body });
    return { status: 200, body: into.get(id) };
  }

  #checkout(fields: Fields): Result {
    if (!this.customers.has(fields['customer'])) return missing('No such customer');
    if (fields['mode'] !== 'subscription' || !fields['success_url']) return invalid('Missing required param.');
    const url = `https://checkout.stripe.test/${newId('c')}`;
    return this.#made(this.sessions, 'cs_test', {
      object: 'checkout.session',
      ...fields,
      url,
      payment_status: 'unpaid',
    });
  }

  #meter(fields: Fields): Result {
    const { identifier } = fields;
    if (this.meterEvents.has(identifier)) return invalid(`An event already exists with identifier ${identifier}.`);
    this.meterEvents.set(identifier, fields);
    return { status: 200, body: { object: 'billing.meter_event', ...fields } };
  }

  #subscription(method: string, id: string, fields: Fields): Result {
    const found = this.subscriptions.get(id);
    if (!found) return missing(`No such subscription: '${id}'`);
    if (method !== 'GET' && found.status === 'canceled')
      return invalid('A canceled subscription can only update its metadata.');
    if (method === 'DELETE') found.status = 'canceled';
    if (method === 'POST') update(found, fields);
    return { status: 200, body: found };
  }
}

function update(subscription: Subscription, fields: Fields): void {
  if (fields['cancel_at_period_end'] !== undefined)
    subscription.cancel_at_period_end = fields['cancel_at_period_end'] === 'true';
  const changes: Fields[] = Object.values(fields['items'] ?? {});
  const { items } = subscription;
  for (const { id, price, deleted } of changes)
    if (deleted === 'true') items.data = items.data.filter((item) => item.id !== id);
    else items.data = [...items.data, { id: newId('si'), price: { id: price } }];
}

async function read(request: IncomingMessage): Promise<{ asked: Asked; fault: Result | null }> {
  const chunks: Buffer[] = await Array.fromAsync(request);
  const url = new URL(request.url ?? '', 'http://stripe');
  const body = new URLSearchParams(Buffer.concat(chunks).toString());
  const asked = {
    method: request.method ?? '',
    path: url.pathname,
    fields: nested(request.method === 'POST' ? body : url.searchParams),
  };
  const { authorization, 'stripe-version': version } = request.headers;
  if (authorization !== `Bearer ${KEY}`)
    return { asked, fault: refusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided.' }) };
  if (version !== Stripe.API_VERSION) return { asked, fault: invalid('Unknown version.') };
  return { asked, fault: null };
}

export async function startStripe(): Promise<LocalStripe> {
  const ledger = new Ledger();
  const server = createServer(async (request, response) => {
    const { asked, fault } = await read(request);
    const key = request.headers['idempotency-key'];
    const away = refusal(500, { type: 'api_error', message: 'Something went wrong on our end.' });
    const result = local.mood === 'away' ? away : (fault ?? ledger.resultOf(asked, key?.toString()));
    if (local.mood === 'mute') return request.socket.destroy();
    const headers = { 'content-type': 'application/json', 'request-id': newId('req') };
    return response.writeHead(result.status, headers).end(JSON.stringify(result.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const local: LocalStripe = {
    url: `stripe://${KEY}@127.0.0.1:${address.port}?webhookSecret=${WEBHOOK_SECRET}&insecure=1`,
    asked: ledger.asked,
    sessions: ledger.sessions,
    subscriptions: ledger.subscriptions,
    meterEvents: ledger.meterEvents,
    invoiceItems: ledger.invoiceItems,
    mood: 'well',
    pay: (sessionId, now) => {
      const session = ledger.sessions.get(sessionId);
      assert.ok(session, sessionId);
      const items: Fields[] = Object.values(session['line_items']);
      const subscription: Subscription = {
        id: newId('sub'),
        object: 'subscription',
        customer: session['customer'],
        status: 'active',
        items: { object: 'list', data: items.map(({ price }) => ({ id: newId('si'), price: { id: price } })) },
        cancel_at_period_end: false,
        billing_cycle_anchor: Math.floor(now.getTime() / 1000),
        metadata: session['subscription_data'].metadata,
      };
      ledger.subscriptions.set(subscription.id, subscription);
      return { session: { ...session, payment_status: 'paid', subscription: subscription.id }, subscription };
    },
    stop: () => server.close(),
  };
  return local;
}

/**
 * A webhook notice in Stripe's format.
 * @param at the time of its signature
 */
export function noticeOf(type: string, object: unknown, at: Date, secret = WEBHOOK_SECRET) {
  const timestamp = Math.floor(at.getTime() / 1000);
  const envelope = { object: 'event', api_version: Stripe.API_VERSION, created: timestamp, livemode: false };
  const payload = JSON.stringify({ id: newId('evt'), ...envelope, type, data: { object } });
  return { body: payload, signature: Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }) };
}

/** An invoice of a subscription. */
export function invoiceOf({ id, metadata }: Subscription, amount: number) {
  return {
    id: newId('in'),
    object: 'invoice',
    amount_paid: amount,
    currency: 'eur',
    parent: { type: 'subscription_details', subscription_details: { subscription: id, metadata } },
  };
}
