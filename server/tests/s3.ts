import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

const KEY = 'test-key';
const SECRET = 'a+secret/with=signs';
const REGION = 'eu-test-1';
/** Small, so that a test has several pages. */
const PAGE = 2;
const MIN_PART = 5 * 1_048_576;

type Upload = { key: string; initiated: Date; parts: Map<number, Buffer> };
type Asked = { method: string; key: string; query: URLSearchParams; headers: IncomingMessage['headers']; body: Buffer };
type Outcome = { status: number; body?: Buffer | string; headers?: Record<string, string> };

/** A storage with the protocol of S3 that checks every signature as AWS describes it, and every rule on parts. */
export type Storage = {
  /** With credentials. */
  address: (bucket: string, query?: string) => string;
  objects: Map<string, Buffer>;
  uploads: Map<string, Upload>;
  /** What was asked for, as `PUT key`. */
  asked: string[];
  /** Called before a request is handled: what it returns is sent instead. */
  disturb: (asked: Asked) => Outcome | undefined;
  stop: () => Promise<void>;
};

export async function startStorage(): Promise<Storage> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    handle(request).then(
      (outcome) => send(response, outcome),
      (error: unknown) => send(response, refusal(500, String(error))),
    );
  });
  const handle = async (request: IncomingMessage): Promise<Outcome> => {
    const url = new URL(request.url ?? '/', 'http://storage');
    const body = await buffer(request);
    const key = decodeURIComponent(url.pathname.slice(1));
    const received: Asked = {
      method: request.method ?? '',
      key,
      query: url.searchParams,
      headers: request.headers,
      body,
    };
    asked.push(`${received.method} ${key}`);
    const fault = faultOfSignature(received, url.pathname);
    if (fault !== null) return refusal(403, fault);
    return storage.disturb(received) ?? respond(received, { objects, uploads });
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const storage: Storage = {
    address: (bucket, query = '') =>
      `s3://${KEY}:${encodeURIComponent(SECRET)}@127.0.0.1:${port}/${bucket}?region=${REGION}&insecure=1${query}`,
    objects,
    uploads,
    asked,
    disturb: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return storage;
}

type Kept = Pick<Storage, 'objects' | 'uploads'>;

function respond(asked: Asked, kept: Kept): Outcome {
  const { method, query } = asked;
  if (query.has('uploads')) return method === 'POST' ? begin(asked, kept) : listUploads(asked, kept);
  if (query.has('uploadId')) return changeUpload(asked, kept);
  if (query.get('list-type') === '2') return list(asked, kept);
  return object(asked, kept);
}

function begin({ key }: Asked, { uploads }: Kept): Outcome {
  const id = randomBytes(8).toString('base64');
  uploads.set(id, { key, initiated: new Date(), parts: new Map() });
  return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

function listUploads({ key, query }: Asked, { uploads }: Kept): Outcome {
  const prefix = `${key.replace(/\/$/, '')}/${query.get('prefix')}`;
  const found = [...uploads].filter(([, upload]) => upload.key.startsWith(prefix));
  const nameOf = (upload: Upload) => upload.key.slice(key.length + 1);
  const marker = `${query.get('key-marker')} ${query.get('upload-id-marker')}`;
  const start = found.findIndex(([id, upload]) => `${nameOf(upload)} ${id}` === marker) + 1;
  const page = found.slice(start, start + PAGE);
  const items = page.map(
    ([id, upload]) =>
      `<Upload><Key>${nameOf(upload)}</Key><UploadId>${id}</UploadId><Initiated>${upload.initiated.toISOString()}</Initiated></Upload>`,
  );
  const last = start + PAGE < found.length ? page.at(-1) : undefined;
  const next = last
    ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${nameOf(last[1])}</NextKeyMarker><NextUploadIdMarker>${last[0]}</NextUploadIdMarker>`
    : '<IsTruncated>false</IsTruncated>';
  return xml(`<ListMultipartUploadsResult>${next}${items.join('')}</ListMultipartUploadsResult>`);
}

function changeUpload({ method, key, query, body }: Asked, { objects, uploads }: Kept): Outcome {
  const id = query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (!upload || upload.key !== key) return refusal(404, 'NoSuchUpload');
  if (method === 'DELETE') {
    uploads.delete(id);
    return { status: 204 };
  }
  if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: etagOf(body) } };
  }
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
  const parts = named.map(([, number, etag]) => ({ content: upload.parts.get(Number(number)), etag }));
  const chosen = parts.flatMap(({ content, etag }) => (content && etagOf(content) === etag ? [content] : []));
  if (chosen.length === 0 || chosen.length < parts.length) return refusal(400, 'InvalidPart');
  if (chosen.slice(0, -1).some(({ length }) => length < MIN_PART)) return refusal(400, 'EntityTooSmall');
  objects.set(key, Buffer.concat(chosen));
  uploads.delete(id);
  return xml(`<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`);
}

function list({ key, query }: Asked, { objects }: Kept): Outcome {
  const bucket = `${key.replace(/\/$/, '')}/`;
  const all = [...objects.keys()].filter((name) => name.startsWith(`${bucket}${query.get('prefix')}`)).sort();
  const start = Number(query.get('continuation-token') ?? 0);
  const items = all
    .slice(start, start + PAGE)
    .map((name) => `<Contents><Key>${name.slice(bucket.length)}</Key></Contents>`);
  const next = start + PAGE < all.length ? `<NextContinuationToken>${start + PAGE}</NextContinuationToken>` : '';
  return xml(`<ListBucketResult>${items.join('')}${next}</ListBucketResult>`);
}

function object({ method, key, headers }: Asked, { objects }: Kept): Outcome {
  const content = objects.get(key);
  if (method === 'DELETE') {
    objects.delete(key);
    return { status: 204 };
  }
  if (!content) return refusal(404, 'NoSuchKey');
  if (method === 'HEAD') return { status: 200, headers: { 'content-length': String(content.length) } };
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (from === undefined || to === undefined) return { status: 200, body: content };
  return { status: 206, body: content.subarray(Number(from), Number(to) + 1) };
}

/** The check of AWS Signature Version 4, as AWS describes it for S3. */
function faultOfSignature({ method, query, headers, body }: Asked, path: string): string | null {
  const authorization =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;
  const [, key, day = '', region = '', signed = '', signature] = authorization.exec(headers.authorization ?? '') ?? [];
  if (key !== KEY) return 'InvalidAccessKeyId';
  const date = String(headers['x-amz-date']);
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!date.startsWith(day) || !(Math.abs(Date.now() - time) < 900_000)) return 'RequestTimeTooSkewed';
  const names = signed.split(';');
  if (region !== REGION || !['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name)))
    return 'AuthorizationHeaderMalformed';
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const keyed = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${SECRET}`));
  const expected = hmac(keyed, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(Buffer.from(canonical))}`).toString(
    'hex',
  );
  return signature === expected ? null : 'SignatureDoesNotMatch';
}

function canonicalQuery(query: URLSearchParams): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function etagOf(content: Buffer): string {
  return `"${createHash('md5').update(content).digest('hex')}"`;
}

function xml(body: string): Outcome {
  return {
    status: 200,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
    headers: { 'content-type': 'application/xml' },
  };
}

export function refusal(status: number, code: string): Outcome {
  return { status, body: `<Error><Code>${code}</Code></Error>`, headers: { 'content-type': 'application/xml' } };
}

function send(response: ServerResponse, { status, body, headers = {} }: Outcome): void {
  response.writeHead(status, headers).end(body);
}
