import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newEmail, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { newDirectory, type TestDirectory } from '#tests/scim.ts';

/**
 * A request as the documentation of a directory describes it, and the response that the directory needs. `{name}` stands
 * for an address, or for an id that an earlier response had.
 */
type Exchange = {
  does: string;
  method: string;
  path: string;
  body?: unknown;
  status: number;
  /** What the response must contain. */
  has?: Record<string, unknown>;
  /** The name for the id in the response. */
  keep?: string;
  /** How many members the organization has afterwards. */
  members?: number;
};

const EXCHANGES = join(import.meta.dirname, '../tests/scim-exchanges');

let latchkey: TestLatchkey;
before(async () => {
  latchkey = await startTestLatchkey();
});
after(() => latchkey.stop());

async function exchangesOf(directory: string): Promise<Exchange[]> {
  return JSON.parse(await readFile(join(EXCHANGES, `${directory}.json`), 'utf8'));
}

type Names = Map<string, string>;

function filledIn(exchange: Exchange, names: Names): Exchange {
  return JSON.parse(JSON.stringify(exchange).replaceAll(/\{(\w+)\}/g, (_all, name) => names.get(name) ?? ''));
}

/** Sends a request, checks its response, and adds the id in its response to the names. */
async function expectResponse(
  { scim, admin, organizationId }: TestDirectory,
  exchange: Exchange,
  names: Names,
): Promise<void> {
  const { does, method, path, body, status, has, keep, members } = filledIn(exchange, names);
  const headers = body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' };
  const response = await scim(method, encodeURI(path), body, headers);
  assert.equal(response.status, status, `${does}: ${response.text}`);
  if (has) assert.partialDeepStrictEqual(response.body, has, `${does}: ${response.text}`);
  if (keep !== undefined) names.set(keep, response.body.id);
  if (members === undefined) return;
  const { items } = (await admin(`organizations/${organizationId}/members`)).body;
  assert.equal(items.length, members, does);
}

describe('the requests of', () => {
  for (const [name, file] of [
    ['Entra ID', 'entra-id'],
    ['Okta', 'okta'],
  ] as const)
    test(`${name} get the responses that it needs`, async () => {
      const directory = await newDirectory(latchkey);
      const names: Names = new Map([
        ['email', newEmail()],
        ['newEmail', newEmail()],
      ]);
      for (const exchange of await exchangesOf(file)) {
        // biome-ignore lint/performance/noAwaitInLoops: each request follows from the one before
        await expectResponse(directory, exchange, names);
      }
    });
});
