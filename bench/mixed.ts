import { setTimeout } from 'node:timers/promises';
import { managementToken, type Subject } from './installation.ts';
import { CONNECTIONS, percentilesOf } from './load.ts';
import { call, signedInPeople } from './paths.ts';
import { processorSeconds, residentMegabytes } from './server.ts';

/** The share of each kind of request in the mixed load, in percent. */
const SHARES = { context: 70, refresh: 15, 'password login': 10, admin: 5 } as const;
type Kind = keyof typeof SHARES;
const KINDS: readonly Kind[] = ['context', 'refresh', 'password login', 'admin'];

export type Mixed = { rate: number; cpu: number; kinds: { kind: Kind; share: number; p50: number; p99: number }[] };

/** The kind of the nth request: each kind is spread evenly, and the same in every run. */
function kindOf(n: number): Kind {
  const place = (n * 37) % 100;
  let end = 0;
  return (
    KINDS.find((kind) => {
      end += SHARES[kind];
      return place < end;
    }) ?? 'context'
  );
}

/** The load that an installation has: reads of the context, refreshes, sign-ins and calls of the admin API. */
export async function mixedLoad(subject: Subject, seconds: number): Promise<Mixed> {
  const { people, agent } = await signedInPeople(subject, 'mixed');
  const admin = { authorization: `Bearer ${await managementToken(subject)}` };
  const durations: Record<Kind, number[]> = { context: [], refresh: [], 'password login': [], admin: [] };
  let count = 0;
  const runs = (person: (typeof people)[number]): Record<Kind, () => Promise<unknown>> => ({
    context: () =>
      call(agent, `${subject.apiUrl}/v1/me/context`, { headers: { authorization: `Bearer ${person.access}` } }),
    refresh: async () => {
      const body = JSON.stringify({ refresh_token: person.refresh });
      const tokens = JSON.parse(await call(agent, `${subject.authUrl}/v1/sessions/refresh`, { body }));
      person.refresh = tokens.refresh_token;
      person.access = tokens.access_token;
    },
    'password login': () => person.signIn(),
    admin: () => call(agent, `${subject.apiUrl}/v1/admin/members?limit=25`, { headers: admin }),
  });
  const before = await processorSeconds(subject.pid);
  const end = performance.now() + seconds * 1000;
  await Promise.all(
    people.map(async (person) => {
      const run = runs(person);
      for (let began = performance.now(); began < end; began = performance.now()) {
        const kind = kindOf(count);
        count += 1;
        // biome-ignore lint/performance/noAwaitInLoops: one request after the other
        await run[kind]();
        durations[kind].push(performance.now() - began);
      }
    }),
  );
  const cpu = (((await processorSeconds(subject.pid)) - before) * 1000) / count;
  agent.destroy();
  const kinds = KINDS.map((kind) => ({ kind, share: SHARES[kind], ...percentilesOf(durations[kind]) }));
  return { rate: count / seconds, cpu, kinds };
}

/** Resident memory of the server after many tokens and sign-ins, in megabytes, and after a pause. */
export async function memoryAfterUse(
  subject: Subject,
  { tokens, signIns }: { tokens: number; signIns: number },
): Promise<number> {
  const { people, agent } = await signedInPeople(subject, 'memory');
  const spread = async (total: number, work: (index: number) => Promise<unknown>) => {
    let left = total;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, index) => {
        while (left > 0) {
          left -= 1;
          // biome-ignore lint/performance/noAwaitInLoops: one request after the other
          await work(index);
        }
      }),
    );
  };
  await spread(tokens, () => managementToken(subject, agent));
  await spread(signIns, async (index) => people[index]?.signIn());
  agent.destroy();
  await setTimeout(3_000);
  return residentMegabytes(subject.pid);
}

/** Runs the mixed load for some minutes. @returns the resident memory at the end of each, in megabytes */
export async function soak(subject: Subject, minutes: number): Promise<number[]> {
  const memory: number[] = [];
  for (let minute = 1; minute <= minutes; minute += 1) {
    // biome-ignore lint/performance/noAwaitInLoops: one minute after the other
    const { rate } = await mixedLoad(subject, 60);
    memory.push(await residentMegabytes(subject.pid));
    console.log(`soak, minute ${minute}: ${memory.at(-1)?.toFixed(0)} MB resident, ${rate.toFixed(0)} requests/s`);
  }
  return memory;
}
