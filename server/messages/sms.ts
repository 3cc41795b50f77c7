import { outbound } from '#platform/fetch.ts';
import type { System } from '#platform/system.ts';

/** One way to send a text message. @returns the carrier's name @throws Error that says why it did not take the message */
export type Carrier = { name: string; send: (to: string, text: string) => Promise<void> };

/** The configured carriers in the order they are tried. */
export function carriersOf(system: System): Carrier[] {
  return system.config.smsUrls.map((address) => carrier(system, new URL(address)));
}

type Request = { url: string; headers: Record<string, string>; body: string; check?: (answer: unknown) => void };

function carrier(system: System, url: URL): Carrier {
  const name = url.protocol.slice(0, -1);
  const requestFor = name === 'twilio' ? twilio : name === 'vonage' ? vonage : generic;
  return {
    name: name.startsWith('http') ? url.host : name,
    send: async (to, text) => {
      const { url: address, check, ...init } = requestFor(url, to, text);
      const response = await outbound(system, address, { method: 'POST', ...init });
      const answer = await response.text();
      if (!response.ok) throw new Error(`${url.host} answered ${response.status}`);
      check?.(parsed(answer));
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Carriers speak https; a local one of the tests may be asked without TLS. */
function baseOf(url: URL): string {
  return `${url.searchParams.has('insecure') ? 'http' : 'https'}://${url.host}`;
}

function senderOf(url: URL): string {
  return url.searchParams.get('from') ?? 'Latchkey';
}

/** Twilio's Messages resource: form-encoded, HTTP Basic with the account. */
function twilio(url: URL, to: string, text: string): Request {
  const account = decodeURIComponent(url.username);
  const basic = Buffer.from(`${account}:${decodeURIComponent(url.password)}`).toString('base64');
  return {
    url: `${baseOf(url)}/2010-04-01/Accounts/${account}/Messages.json`,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ To: to, From: senderOf(url), Body: text }).toString(),
  };
}

/** Vonage's SMS API: always 200; the status of each message stands in the body. */
function vonage(url: URL, to: string, text: string): Request {
  const [key, secret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return {
    url: `${baseOf(url)}/sms/json`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      api_key: key,
      api_secret: secret,
      to: to.slice(1),
      from: senderOf(url),
      text,
      type: 'unicode',
    }),
    check: (answer) => {
      const [message] = asMessages(answer);
      if (message?.status !== '0')
        throw new Error(`vonage refused the message with status ${message?.status ?? 'none'}`);
    },
  };
}

function asMessages(answer: unknown): { status: string }[] {
  const { messages }: { messages?: unknown } = Object(answer);
  return Array.isArray(messages) ? messages.map((message) => ({ status: String(Object(message).status) })) : [];
}

/** Anything else: JSON `{ to, from, text }`, with the user part of the address as bearer token. */
function generic(url: URL, to: string, text: string): Request {
  const target = new URL(url);
  target.username = '';
  target.password = '';
  return {
    url: target.href,
    headers: {
      'content-type': 'application/json',
      ...(url.username && { authorization: `Bearer ${decodeURIComponent(url.username)}` }),
    },
    body: JSON.stringify({ to, from: senderOf(url), text }),
  };
}
