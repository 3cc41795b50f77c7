import { createHash, randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Server } from './load.ts';
import { CONNECTIONS, loadChains, type Measured } from './load.ts';

/** Where a code flow begins and ends at an issuer. */
export type Flow = { server: Server; authorize: string; token: string; clientId: string; host: string };

const REDIRECT = 'http://localhost:5173/callback';

type Received = { status: number; location: string | undefined; cookies: string[]; text: string };

/** A browser that keeps cookies, for one origin. */
export class Browser {
  readonly #flow: Flow;
  readonly #agent: Agent;
  readonly #cookies = new Map<string, string>();

  constructor(flow: Flow, agent: Agent) {
    this.#flow = flow;
    this.#agent = agent;
  }

  /** Opens an address and follows redirects that stay at the issuer. @returns the page, or the address outside */
  async open(path: string, form?: Record<string, string>): Promise<{ path: string; text: string; outside?: string }> {
    const body = form && new URLSearchParams(form).toString();
    const { location, cookies, text, status } = await this.send(path, body, `http://${this.#flow.host}`);
    for (const cookie of cookies) {
      const [pair = ''] = cookie.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    if (location === undefined) {
      if (status !== 200) throw new Error(`${path} responded with status ${status}: ${text.slice(0, 200)}`);
      return { path, text };
    }
    const next = new URL(location, `http://${this.#flow.host}${path}`);
    if (next.host !== this.#flow.host) return { path, text: '', outside: next.href };
    return this.open(`${next.pathname}${next.search}`);
  }

  /** Sends a form if there is one, else reads. Calls with the host name of the issuer, whichever address it has. */
  send(path: string, body: string | undefined, origin?: string): Promise<Received> {
    const cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const headers = {
      host: this.#flow.host,
      accept: 'text/html',
      ...(cookie !== '' && { cookie }),
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        ...(origin !== undefined && { origin }),
      }),
    };
    return new Promise((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      request(this.#flow.server.url + path, { method, agent: this.#agent, headers }, (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        incoming.on('end', () => {
          const { location, 'set-cookie': cookies = [] } = incoming.headers;
          resolve({ status: incoming.statusCode ?? 0, location, cookies, text });
        });
      })
        .on('error', reject)
        .end(body);
    });
  }
}

/** Authorizes with a signed-in browser and redeems the code. */
async function flowOnce(flow: Flow, browser: Browser): Promise<void> {
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    client_id: flow.clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid',
    state: 'bench',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await browser.open(`${flow.authorize}?${asked}`);
  const code = page.outside && new URL(page.outside).searchParams.get('code');
  if (!code) throw new Error(`No code came from ${page.outside ?? page.path}: ${page.text.slice(0, 500)}`);
  const form = { grant_type: 'authorization_code', client_id: flow.clientId, redirect_uri: REDIRECT, code };
  const { status, text } = await browser.send(
    flow.token,
    new URLSearchParams({ ...form, code_verifier: verifier }).toString(),
  );
  if (status !== 200) throw new Error(`The code was refused: ${text}`);
}

/**
 * The rate of code flows (authorize and token) of browsers that are signed in.
 * @param signIn signs in one browser
 * @param signedIn runs when all browsers are signed in, before the first flow
 */
export async function loadFlows(
  flow: Flow,
  signIn: (browser: Browser) => Promise<void>,
  signedIn: () => Promise<void>,
): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 * CONNECTIONS, ...nextSource() });
  const browsers = Array.from({ length: CONNECTIONS }, () => new Browser(flow, agent));
  await Promise.all(browsers.map((browser) => signIn(browser)));
  await signedIn();
  const names = browsers.map((_, index) => String(index));
  const measured = await loadChains(flow.server.pid, names, async (name) => {
    const browser = browsers[Number(name)];
    if (browser) await flowOnce(flow, browser);
    return name;
  });
  agent.destroy();
  return measured;
}

let sources = 1;

/** An address of its own for each load, because one source may not send as many requests. Other systems have one address only. */
function nextSource(): { localAddress?: string } {
  sources += 1;
  return process.platform === 'linux' ? { localAddress: `127.0.0.${sources}` } : {};
}

/** Signs in on the hosted pages, from the page that an authorization request leads to. */
export async function signInOnPages(
  flow: Flow,
  browser: Browser,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const asked = new URLSearchParams({
    client_id: flow.clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update('x'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  });
  let page = await browser.open(`${flow.authorize}?${asked}`);
  for (let step = 0; step < 3 && page.outside === undefined; step += 1) {
    const { action, hidden } = formIn(page);
    // biome-ignore lint/performance/noAwaitInLoops: one page leads to the next
    page = await browser.open(action, { ...hidden, identifier: email, password });
  }
  if (page.outside === undefined) throw new Error(`The sign-in stays at ${page.path}: ${page.text.slice(0, 2_000)}`);
}

function formIn({ path, text }: { path: string; text: string }): { action: string; hidden: Record<string, string> } {
  const forms = [...text.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)];
  const [, action = path, content = ''] = forms.find(([form]) => /name="(?:identifier|password)"/.test(form)) ?? [];
  const fields = [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const { pathname, search } = new URL(action.replaceAll('&amp;', '&'), 'http://localhost');
  return {
    action: pathname + search,
    hidden: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
  };
}
