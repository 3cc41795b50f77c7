/** A received request: the raw body, unchanged, and the headers. */
export type Received = {
  body: string;
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>;
};

export type Options = {
  /** How far the message's timestamp may differ from the current time, in seconds (default 300). */
  toleranceSeconds?: number;
  /** Milliseconds since 1970; the current time if absent. */
  now?: number;
};

/** An event as Latchkey sends it. `data` depends on `type`; see docs/events.md. */
export type WebhookEvent = {
  /** The same in every delivery: store it to recognise repeated deliveries. */
  id: string;
  type: string;
  occurredAt: string;
  timestamp: string;
  /** Position in the order of the project environment; null for a test event. */
  sequence: number | null;
  workspaceId: string;
  projectId: string;
  environment: 'test' | 'production';
  actor: { kind: string; [field: string]: unknown };
  correlationId: string;
  example?: true;
  data: Record<string, unknown>;
};

/** Why a message was rejected. Respond with 400, and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code:
    | 'missing_header'
    | 'time_out_of_tolerance'
    | 'no_matching_signature'
    | 'invalid_secret'
    | 'not_an_action';

  constructor(code: WebhookVerificationError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The signed content of a message, and its signatures. */
export type Signed = { content: string; signatures: readonly string[] };

const TOLERANCE_SECONDS = 300;

/**
 * Reads the headers of Standard Webhooks and checks the time.
 * @throws WebhookVerificationError `missing_header`, `time_out_of_tolerance`
 */
export function readMessage(
  { body, headers }: Received,
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: Options,
): Signed {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signature = headerOf(headers, 'webhook-signature');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  // NaN compares false, so it is rejected, too.
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds))
    throw new WebhookVerificationError(
      'time_out_of_tolerance',
      'The timestamp of the message is too old or in the future.',
    );
  const signatures = signature
    .split(' ')
    .filter((version) => version.startsWith('v1,'))
    .map((version) => version.slice(3));
  return { content: `${id}.${timestamp}.${body}`, signatures };
}

function headerOf(headers: Received['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : plainHeader(headers, name);
  if (!value) throw new WebhookVerificationError('missing_header', `The header ${name} is missing.`);
  return value;
}

function plainHeader(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  name: string,
): string | undefined {
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name);
  const value = found === undefined ? undefined : headers[found];
  return Array.isArray(value) ? value[0] : value;
}

/** Decodes a secret `whsec_…`. @throws WebhookVerificationError `invalid_secret` */
export function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = base64Bytes(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0)
    throw new WebhookVerificationError('invalid_secret', 'The secret must start with whsec_ and be complete.');
  return bytes;
}

/** @returns null if the text is not base64 */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function noMatch(): WebhookVerificationError {
  return new WebhookVerificationError(
    'no_matching_signature',
    'No signature matches: wrong secret, or the body was changed.',
  );
}
