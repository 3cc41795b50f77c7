import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import DNS from 'dns2';
import { Agent, buildConnector, fetch as fetchFrom } from 'undici';
import {
  expectEvent,
  managementToken,
  startTestLatchkey,
  TestClock,
  type TestLatchkey,
  type TestResponse,
} from './harness.ts';
import { createTenant, type Tenant, tenantManagementToken } from './tenants.ts';

export type TestDns = {
  /** In the format of `LATCHKEY_DNS_SERVERS`. */
  address: string;
  /** TXT records by name, each as its strings; `servfail`: a broken zone. Other names do not exist. */
  zone: Map<string, string[][] | 'servfail'>;
  /** How often a name was queried. */
  asked: (name: string) => number;
  stop: () => void;
};

/** A name server in this process. */
export async function startDns(): Promise<TestDns> {
  const zone: TestDns['zone'] = new Map();
  const asked = new Map<string, number>();
  const server = DNS.createUDPServer((request, send) => {
    const response = DNS.Packet.createResponseFromRequest(request);
    const name = request.questions[0]?.name ?? '';
    asked.set(name, (asked.get(name) ?? 0) + 1);
    const records = zone.get(name);
    if (records === undefined) response.header.rcode = 3;
    else if (records === 'servfail') response.header.rcode = 2;
    else
      for (const data of records)
        response.answers.push(
          Object.assign(new DNS.Packet.Resource(), {
            name,
            type: DNS.Packet.TYPE.TXT,
            class: DNS.Packet.CLASS.IN,
            ttl: 0,
            data,
          }),
        );
    send(response);
  });
  await server.listen(0, '127.0.0.1');
  const { port } = server.address();
  return {
    address: `127.0.0.1:${port}`,
    zone,
    asked: (name) => asked.get(name) ?? 0,
    stop: () => server.close(),
  };
}

/**
 * A `fetch` that resolves every name to this machine.
 * @param port the port to connect to, instead of the address's own
 * @param ca the CA certificate to trust
 */
export function fetchHere(port?: number, ca?: string): typeof globalThis.fetch {
  const connect = buildConnector(ca === undefined ? {} : { ca });
  const dispatcher = new Agent({
    connect: (options, callback) =>
      connect(
        {
          ...options,
          servername: options.hostname,
          hostname: '127.0.0.1',
          ...(port !== undefined && { port: String(port) }),
        },
        callback,
      ),
  });
  return async (input, init) => {
    const { body, headers, method, redirect } = { ...init };
    const response = await fetchFrom(String(input), {
      dispatcher,
      headers: [...headersOf(headers, body)],
      ...(method !== undefined && { method }),
      ...(redirect !== undefined && { redirect }),
      ...((typeof body === 'string' || body instanceof URLSearchParams) && { body: String(body) }),
    });
    const bytes = await response.arrayBuffer();
    return new Response(bytes.byteLength > 0 ? bytes : null, {
      status: response.status,
      headers: [...response.headers],
    });
  };
}

function headersOf(given: ConstructorParameters<typeof Headers>[0], body: unknown): Headers {
  const headers = new Headers(given);
  if (body instanceof URLSearchParams && !headers.has('content-type'))
    headers.set('content-type', 'application/x-www-form-urlencoded');
  return headers;
}

type Call = { method?: string; body?: unknown; token?: string; headers?: Record<string, string> };

/** Calls an address whose name resolves to this machine. Fails the test if a change responds 2xx and emits no event. */
export async function callAt(
  latchkey: TestLatchkey,
  url: string,
  { method, body, token, headers, port, ca }: Call & { port?: number; ca?: string } = {},
): Promise<TestResponse> {
  const correlationId = randomUUID();
  const form = body instanceof URLSearchParams;
  const response = await fetchHere(port, ca)(url, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: {
      'x-correlation-id': correlationId,
      ...(body !== undefined && {
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.ok && body !== undefined) await expectEvent(latchkey.system, new URL(url).pathname, correlationId);
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : text };
}

const DOMAINS = '/v1/admin/domains';

type Back = (path: string, call?: { method?: string; body?: unknown }) => Promise<TestResponse>;

/** A Latchkey with a name server and a clock of its own, and helpers for tests of domains. */
export type Domains = {
  latchkey: TestLatchkey;
  dns: TestDns;
  clock: TestClock;
  other: Tenant;
  /** Calls `/v1/admin/domains…` as the demo's back end. */
  admin: Back;
  /** Calls `/v1/admin/domains…` as the back end of another workspace. */
  elsewhere: Back;
  /**
   * Adds a host.
   * @returns its record
   */
  claim: (host: string, as?: Back) => Promise<TestResponse['body']>;
  /**
   * Publishes a domain's TXT record in the zone.
   * @param parts the strings of the record; the whole record by default
   */
  publish: (domain: TestResponse['body'], parts?: string[]) => void;
  /** Verifies a domain. Sends a body, so that the harness expects an event if it succeeds. */
  verify: (domain: { id: string }, as?: Back) => Promise<TestResponse>;
  /**
   * Adds a host and verifies it.
   * @returns its record
   */
  verified: (host: string, as?: Back) => Promise<TestResponse['body']>;
  /** The types of the events about a domain, oldest first. */
  eventsAbout: (id: string) => Promise<string[]>;
  stop: () => Promise<void>;
};

export async function startDomains(): Promise<Domains> {
  const clock = new TestClock();
  const dns = await startDns();
  const latchkey = await startTestLatchkey({ clock, settings: { LATCHKEY_DNS_SERVERS: dns.address } });
  const other = await createTenant(latchkey, 'elsewhere');
  const admin: Back = async (path, call = {}) =>
    latchkey.api(DOMAINS + path, { ...call, token: await managementToken(latchkey) });
  const elsewhere: Back = async (path, call = {}) =>
    latchkey.api(DOMAINS + path, { ...call, token: await tenantManagementToken(latchkey, other) });
  const claim: Domains['claim'] = async (host, as = admin) => {
    const { status, body, text } = await as('', { body: { host } });
    assert.equal(status, 201, text);
    return body;
  };
  const publish: Domains['publish'] = ({ verification }, parts) => {
    dns.zone.set(verification.name, [['v=spf1 -all'], parts ?? [verification.value]]);
  };
  const verify: Domains['verify'] = ({ id }, as = admin) => as(`/${id}/verify`, { body: {} });
  return {
    latchkey,
    dns,
    clock,
    other,
    admin,
    elsewhere,
    claim,
    publish,
    verify,
    verified: async (host, as = admin) => {
      const domain = await claim(host, as);
      publish(domain);
      assert.equal((await verify(domain, as)).status, 200);
      return domain;
    },
    eventsAbout: async (id) => {
      const { rows } = await latchkey.system.pool.query(
        `select type from events where data->>'domainId' = $1 order by id`,
        [id],
      );
      return rows.map(({ type }) => type);
    },
    stop: async () => {
      await latchkey.stop();
      dns.stop();
    },
  };
}

/**
 * Adds a host to the demo's first project, verifies it, and binds it.
 * @returns its record, and its addresses by purpose
 */
export async function bindHost(
  latchkey: TestLatchkey,
  dns: TestDns,
  {
    host,
    purposes = ['auth'],
    token: given,
    projectId,
  }: { host: string; purposes?: ('auth' | 'api' | 'status')[]; token?: string; projectId?: string },
) {
  const token = given ?? (await managementToken(latchkey));
  const { body: domain } = await latchkey.api(DOMAINS, { token, body: { host } });
  dns.zone.set(domain.verification.name, [[domain.verification.value]]);
  const verified = await latchkey.api(`${DOMAINS}/${domain.id}/verify`, { method: 'POST', token });
  assert.equal(verified.status, 200, verified.text);
  const [project] = latchkey.demo.projects;
  const addresses: Record<string, string> = {};
  for (const purpose of purposes) {
    // biome-ignore lint/performance/noAwaitInLoops: two at most
    const bound = await latchkey.api(`${DOMAINS}/${domain.id}/bindings`, {
      token,
      body: { projectId: projectId ?? project?.id, environment: 'test', purpose },
    });
    assert.equal(bound.status, 201, bound.text);
    addresses[purpose] = bound.body.address;
  }
  return {
    id: String(domain.id),
    name: String(domain.verification.name),
    auth: addresses['auth'] ?? '',
    api: addresses['api'] ?? '',
    status: addresses['status'] ?? '',
  };
}
