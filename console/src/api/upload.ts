import { headersOf, type Scope } from './client.ts';
import type { MemberImport } from './records.ts';
import { signedInFor } from './session.ts';
import { csrfHeader } from './transport.ts';

export type ImportFormat = 'ndjson' | 'csv';
export type Upload = { file: File; format: ImportFormat; dryRun: boolean };

const TYPES: Record<ImportFormat, string> = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

type Watch = { signal: AbortSignal; onProgress: (bytes: number) => void };

/**
 * Uploads a file of members, streamed from disk. It uses XMLHttpRequest because `fetch` reports no upload progress.
 * @returns null if the upload was cancelled
 * @throws Problem
 */
export async function uploadMembers(scope: Scope, upload: Upload, watch: Watch): Promise<MemberImport | null> {
  if (!(await signedInFor('dangerous')) || watch.signal.aborted) return null;
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/console/v1/members/import?dryRun=${upload.dryRun}`);
    for (const [name, value] of [...Object.entries(headersOf(scope)), csrfHeader()])
      request.setRequestHeader(name, value);
    request.setRequestHeader('Content-Type', TYPES[upload.format]);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded }) => watch.onProgress(loaded);
    request.onload = () => (request.status === 202 ? resolve(request.response) : reject(request.response));
    request.onerror = () => reject(new Error('The connection was lost.'));
    request.onabort = () => resolve(null);
    watch.signal.addEventListener('abort', () => request.abort());
    request.send(upload.file);
  });
}
