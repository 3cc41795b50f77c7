import assert from 'node:assert/strict';
import { PASSWORD, register, type TestLatchkey } from './harness.ts';
import { type Browser, browserOf } from './oidc.ts';

export type Person = Awaited<ReturnType<typeof register>>;
type Shown = Awaited<ReturnType<Browser['open']>>;

/** Signs a person in (a new one by default) and opens a page of their account in a browser. */
export async function visitorOf(latchkey: TestLatchkey, path: string, known?: Person) {
  const person: Person = known ?? (await register(latchkey));
  const browser = browserOf(latchkey);
  const question = await browser.open(`${latchkey.system.config.addresses.test.auth}/account${path}`);
  const page = await browser.submit(question, { identifier: person.email, password: PASSWORD });
  return { browser, page, person };
}

/**
 * The address of a link on the page.
 * @param pattern its first group is the address
 */
export function linkIn(page: Shown, pattern: RegExp): string {
  const found = pattern.exec(page.text)?.[1];
  assert.ok(found, `${pattern} in ${page.text}`);
  return new URL(found, page.url).href;
}
