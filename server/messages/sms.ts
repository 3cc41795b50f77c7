import { segmentsOf } from '#billing';
import { outbound } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';
import type { MessageId } from './messages.ts';

/** A text message for a carrier. */
export type Text = {
  id: MessageId;
  /** E.164. */
  to: string;
  /** ISO 3166-1 alpha-2; selects the sender. */
  country: string | null;
  text: string;
  /** Where the carrier reports the delivery; null: nowhere. */
  receiptUrl: string | null;
  /** Identifies the message in reports that are not sent to an address of its own. */
  reference: string;
};

/**
 * Why a carrier did not take a message. `number`: no carrier would, so no other is tried. `carrier`: another carrier
 * may take it. `route`: another carrier may take it; the destination caused the refusal, so it does not count against
 * the carrier. `unknown`: the connection broke, so the carrier may have taken it.
 */
type Refusal = 'number' | 'route' | 'carrier' | 'unknown';

/** A carrier did not take a message. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}

/** A way to send text messages. */
export type Carrier = {
  name: string;
  url: URL;
  /** A repeated request for the same message sends nothing. */
  idempotent: boolean;
  /** @throws NotTaken */
  send: (text: Text) => Promise<void>;
};

/** The configured carriers, in the order they are tried. */
export function carriersOf(system: System): Carrier[] {
  return system.config.smsUrls.map((address) => carrier(system, new URL(address)));
}

type Request = { url: string; headers: Record<string, string>; body: string };
type CarrierResponse = { status: number; body: unknown };

/** A carrier's protocol: the request, and the meaning of the response (null: the carrier took the message). */
type Protocol = { request: (url: URL, text: Text) => Request; refusal: (response: CarrierResponse) => NotTaken | null };

function carrier(system: System, url: URL): Carrier {
  const name = url.protocol.slice(0, -1);
  const protocol = name === 'twilio' ? twilio : name === 'vonage' ? vonage : generic;
  return {
    name: name.startsWith('http') ? url.host : name,
    url,
    idempotent: protocol === generic,
    send: async (text) => {
      const { url: address, ...init } = protocol.request(url, text);
      const refusal = protocol.refusal(await ask(system, address, init));
      if (refusal) throw refusal;
    },
  };
}

async function ask(system: System, address: string, init: Omit<Request, 'url'>): Promise<CarrierResponse> {
  try {
    const response = await outbound(system, address, { method: 'POST', ...init });
    return { status: response.status, body: parsed(await response.text()) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'failed';
    throw new NotTaken(neverConnected(error) ? 'carrier' : 'unknown', `${new URL(address).host}: ${reason}`);
  }
}

/** True if no byte can have reached the carrier. */
function neverConnected(error: unknown): boolean {
  const { cause }: { cause?: unknown } = Object(error);
  const { code }: { code?: unknown } = Object(cause);
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'].includes(String(code));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Carriers use https; a local carrier of the tests may be called without TLS. */
function baseOf(url: URL): string {
  return `${url.searchParams.has('insecure') ? 'http' : 'https'}://${url.host}`;
}

/** `from.DE` is the sender in Germany, `from` everywhere else: many countries accept only senders registered there. */
function senderOf(url: URL, country: string | null): string {
  return (country && url.searchParams.get(`from.${country}`)) ?? url.searchParams.get('from') ?? 'Latchkey';
}

/** Codes by which Twilio refuses the recipient: not a mobile number, not reachable, opted out, wrong format. */
export const TWILIO_NUMBER_CODES = [21211, 21214, 21217, 21219, 21610, 21614];

/** Codes by which Twilio refuses the route: a country that is not allowed, or that the sender can't reach. */
const TWILIO_ROUTE_CODES = [21408, 21612];

/** Twilio's Messages resource: form-encoded, HTTP Basic with the account. */
const twilio: Protocol = {
  request: (url, { to, text, country, receiptUrl }) => {
    const account = decodeURIComponent(url.username);
    const from = senderOf(url, country);
    const basic = Buffer.from(`${account}:${decodeURIComponent(url.password)}`).toString('base64');
    return {
      url: `${baseOf(url)}/2010-04-01/Accounts/${account}/Messages.json`,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        To: to,
        // A messaging service, which US numbers require, has a field of its own.
        [/^MG[0-9a-f]{32}$/.test(from) ? 'MessagingServiceSid' : 'From']: from,
        Body: text,
        ...(receiptUrl !== null && { StatusCallback: receiptUrl }),
      }).toString(),
    };
  },
  refusal: ({ status, body }) => {
    if (status < 300) return null;
    const { code }: { code?: unknown } = Object(body);
    const number = TWILIO_NUMBER_CODES.includes(Number(code));
    const refused = TWILIO_ROUTE_CODES.includes(Number(code)) ? 'route' : 'carrier';
    return new NotTaken(number ? 'number' : refused, `twilio answered ${status}, code ${code ?? 'none'}`);
  },
};

/** Statuses by which Vonage refuses the recipient: invalid message, number barred, not reachable. */
const VONAGE_NUMBER_STATUSES = ['6', '7', '34'];

/** Statuses by which Vonage refuses the route: a destination that the account may not send to. */
const VONAGE_ROUTE_STATUSES = ['29'];

/** Vonage's SMS API: the response is always 200; the body has the status of each message. */
const vonage: Protocol = {
  request: (url, { to, text, country, receiptUrl, reference }) => {
    const [key, secret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      url: `${baseOf(url)}/sms/json`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        api_key: key,
        api_secret: secret,
        to: to.slice(1),
        from: senderOf(url, country).replace(/^\+/, ''),
        text,
        // As unicode, a text of the GSM alphabet would take more than twice the segments.
        type: segmentsOf(text).encoding === 'UCS-2' ? 'unicode' : 'text',
        'client-ref': reference,
        ...(receiptUrl !== null && { callback: receiptUrl }),
      }),
    };
  },
  refusal: ({ status: http, body }) => {
    if (http >= 300) return new NotTaken('carrier', `vonage answered ${http}`);
    const { messages }: { messages?: unknown } = Object(body);
    const [message]: unknown[] = Array.isArray(messages) ? messages : [];
    const { status }: { status?: unknown } = Object(message);
    if (status === '0') return null;
    const number = VONAGE_NUMBER_STATUSES.includes(String(status));
    const refused = VONAGE_ROUTE_STATUSES.includes(String(status)) ? 'route' : 'carrier';
    return new NotTaken(number ? 'number' : refused, `vonage refused the message with status ${status ?? 'none'}`);
  },
};

/**
 * Any other carrier: JSON `{ id, to, from, text }`, with the user part of the address as bearer token and the id as
 * idempotency key.
 */
const generic: Protocol = {
  request: (url, { id, to, text, country, receiptUrl, reference }) => {
    const target = new URL(url);
    target.username = '';
    target.password = '';
    target.searchParams.delete('receiptSecret');
    return {
      url: target.href,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': id,
        ...(url.username && { authorization: `Bearer ${decodeURIComponent(url.username)}` }),
      },
      body: JSON.stringify({ id, to, from: senderOf(url, country), text, reference, receiptUrl }),
    };
  },
  refusal: ({ status }) => {
    if (status < 300) return null;
    return new NotTaken(status === 422 ? 'number' : 'carrier', `it answered ${status}`);
  },
};
