import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { callConfigured } from '#platform/fetch.ts';
import { isNameOfBackup, type Place } from './place.ts';

const MEBIBYTE = 1_048_576;
/** Every thousand parts the parts grow by this, because an upload has at most 10,000: about 860 GiB. */
const PART_BYTES = 16 * MEBIBYTE;
const GROW_EVERY = 1_000;
/** Time to send one part over a slow line. */
const CALL_MS = 300_000;
const TRIES_AFTER_MS = [1_000, 5_000, 20_000];
const REMAINS_MS = 86_400_000;

/** A response of the storage that refuses the request. */
class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly status: number;

  constructor(status: number, code: string) {
    super(`The storage responded ${status} ${code}`.trim());
    this.status = status;
  }
}

type Call = {
  method: string;
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer<ArrayBuffer>;
};

/**
 * A bucket of an S3-compatible storage: `s3://KEY:SECRET@host/bucket/prefix?region=…`. `style=host` puts the bucket into
 * the name of the host; `insecure` permits plain HTTP, for a storage on the same machine.
 */
export function s3Place(address: URL): Place {
  const bucket = new Bucket(address);
  return {
    store: (name, content, signal) => bucket.upload(name, content, signal),
    open: async (name) => {
      const { headers } = await bucket.call({ method: 'HEAD', key: name });
      return { size: Number(headers.get('content-length')), read: (start, end) => bucket.range(name, { start, end }) };
    },
    list: async () => (await bucket.list()).filter(isNameOfBackup).sort(),
    remove: async (name) => {
      await bucket.call({ method: 'DELETE', key: name });
    },
    removeRemains: (now) => bucket.abortUploads(new Date(now.getTime() - REMAINS_MS)),
  };
}

class Bucket {
  readonly #base: URL;
  readonly #prefix: string;
  readonly #region: string;
  readonly #credentials: { accessKeyId: string; secretAccessKey: string };

  constructor(address: URL) {
    const [bucket = '', ...prefix] = address.pathname.split('/').filter(Boolean).map(decodeURIComponent);
    const scheme = address.searchParams.has('insecure') ? 'http' : 'https';
    const hostStyle = address.searchParams.get('style') === 'host';
    this.#base = new URL(
      hostStyle
        ? `${scheme}://${bucket}.${address.host}/`
        : `${scheme}://${address.host}/${encodeURIComponent(bucket)}`,
    );
    this.#prefix = prefix.map((name) => `${name}/`).join('');
    this.#region = address.searchParams.get('region') ?? 'us-east-1';
    this.#credentials = {
      accessKeyId: decodeURIComponent(address.username),
      secretAccessKey: decodeURIComponent(address.password),
    };
  }

  /** Uploads in parts, so that memory holds one at a time. Without its last request, nothing appears in the bucket. */
  async upload(key: string, content: Readable, signal?: AbortSignal): Promise<void> {
    const begun = await this.call({ method: 'POST', key, query: { uploads: '' } });
    const [uploadId = ''] = textsOf(await begun.text(), 'UploadId');
    try {
      const etags: string[] = [];
      for await (const body of partsOf(content)) {
        signal?.throwIfAborted();
        const query = { partNumber: String(etags.length + 1), uploadId };
        const { headers } = await this.call({ method: 'PUT', key, query, body });
        etags.push(headers.get('etag') ?? '');
      }
      await this.#complete(key, uploadId, etags);
    } catch (error) {
      content.destroy(error instanceof Error ? error : undefined);
      await this.call({ method: 'DELETE', key, query: { uploadId } }).catch(() => undefined);
      throw error;
    }
  }

  async #complete(key: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const response = await this.call({ method: 'POST', key, query: { uploadId }, body });
    // The status is sent before the parts are put together, so an error may follow it.
    const text = await response.text();
    if (!text.includes('<CompleteMultipartUploadResult')) throw new StorageError(response.status, codeOf(text));
  }

  range(key: string, { start, end }: { start: number; end: number }): Readable {
    const call = () => this.call({ method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } });
    return Readable.from(
      (async function* () {
        if (end <= start) return;
        const { body } = await call();
        if (body) yield* body;
      })(),
    );
  }

  async list(): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const after = token === '' ? {} : { 'continuation-token': token };
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const response = await this.call({ method: 'GET', query: { 'list-type': '2', prefix: this.#prefix, ...after } });
      const text = await response.text();
      keys.push(...textsOf(text, 'Key'));
      [token] = textsOf(text, 'NextContinuationToken');
    }
    return keys.map((key) => key.slice(this.#prefix.length));
  }

  /** Ends uploads of backups that were begun before a time: their parts cost storage, and are listed nowhere else. */
  async abortUploads(before: Date): Promise<void> {
    for (const upload of await this.#uploads()) {
      const [key = ''] = textsOf(upload, 'Key');
      const [uploadId = ''] = textsOf(upload, 'UploadId');
      const [begun = ''] = textsOf(upload, 'Initiated');
      const name = key.slice(this.#prefix.length);
      if (isNameOfBackup(name) && Date.parse(begun) < before.getTime())
        // biome-ignore lint/performance/noAwaitInLoops: hardly ever any
        await this.call({ method: 'DELETE', key: name, query: { uploadId } });
    }
  }

  async #uploads(): Promise<string[]> {
    const uploads: string[] = [];
    let after: Record<string, string> | null = {};
    while (after !== null) {
      const query = { uploads: '', prefix: this.#prefix, ...after };
      // biome-ignore lint/performance/noAwaitInLoops: one page after the other
      const text = await (await this.call({ method: 'GET', query })).text();
      uploads.push(...textsOf(text, 'Upload'));
      const [key] = textsOf(text, 'NextKeyMarker');
      const [id = ''] = textsOf(text, 'NextUploadIdMarker');
      const [isTruncated] = textsOf(text, 'IsTruncated');
      after = isTruncated === 'true' && key !== undefined ? { 'key-marker': key, 'upload-id-marker': id } : null;
    }
    return uploads;
  }

  /**
   * A signed request (AWS Signature Version 4), tried again while the storage is away or busy.
   * @throws StorageError; TypeError if the storage does not respond
   */
  async call(call: Call): Promise<Response> {
    for (const pause of TRIES_AFTER_MS) {
      try {
        // biome-ignore lint/performance/noAwaitInLoops: one try after the other
        return await this.#once(call);
      } catch (error) {
        if (error instanceof StorageError && error.status < 500 && error.status !== 429) throw error;
      }
      await setTimeout(pause, undefined, { ref: false });
    }
    return this.#once(call);
  }

  async #once({ method, key, query = {}, headers = {}, body }: Call): Promise<Response> {
    const url = new URL(this.#base);
    if (key !== undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/${this.#prefix}${key}`;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': hash('sha256', body ?? '') },
      ...(body && { body }),
      ...this.#credentials,
      service: 's3',
      region: this.#region,
    }).sign();
    const response = await callConfigured(signed.url.href, {
      method,
      headers: Object.fromEntries(signed.headers),
      ...(body && { body }),
      // A restore may read slowly; undici ends a response that stands still.
      ...(method !== 'GET' && { signal: AbortSignal.timeout(CALL_MS) }),
    });
    if (response.ok) return response;
    throw new StorageError(response.status, codeOf(await response.text()));
  }
}

/** Collects the content in parts; only the last may be smaller (an empty content has one empty part). */
async function* partsOf(content: Readable): AsyncGenerator<Buffer<ArrayBuffer>> {
  let count = 0;
  let chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    size += chunk.length;
    if (size < PART_BYTES * (1 + Math.floor(count / GROW_EVERY))) continue;
    yield Buffer.concat(chunks);
    count += 1;
    chunks = [];
    size = 0;
  }
  if (size > 0 || count === 0) yield Buffer.concat(chunks);
}

/** The texts of an element. Responses of S3 are flat enough to do without a parser, and names of backups need no escapes. */
function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text = '']) => text);
}

/** The code of an error response, such as `AccessDenied`. */
function codeOf(xml: string): string {
  return textsOf(xml, 'Code')[0] ?? '';
}
