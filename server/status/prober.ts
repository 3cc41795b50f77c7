import { sql } from 'kysely';
import { type Environment, environments } from '#platform/ctx.ts';
import { probe } from '#platform/fetch.ts';
import { perSystem, type System } from '#platform/system.ts';
import { Component } from './components.ts';
import { heartbeatIsFresh } from './heartbeat.ts';
import { Board } from './summary.ts';

const INTERVAL_MS = 2_000;
const TIMEOUT_MS = 1_500;

/** Probes what an environment needs and keeps its board. */
class Prober {
  readonly boards: Readonly<Record<Environment, Board>>;
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
    const now = system.clock.now();
    const board = (environment: Environment) => new Board(environment, components(now), now);
    this.boards = { test: board('test'), production: board('production') };
  }

  /** One round over everything; of a round that finds nothing new the boards keep what they serve. */
  async round(): Promise<void> {
    const database = await this.#databaseAnswers();
    const worker = database && (await heartbeatIsFresh(this.#system).catch(() => false));
    await Promise.all(environments.map((environment) => this.#observe(environment, { database, worker })));
  }

  async #observe(environment: Environment, shared: { database: boolean; worker: boolean }): Promise<void> {
    const { auth, api } = this.#system.config.addresses[environment];
    // A route of its own kind answers: an unknown path would too, were the routes missing.
    const [authHost, apiHost] = await Promise.all([
      probe(`${auth}/.well-known/openid-configuration`, TIMEOUT_MS),
      probe(`${api}/v1/me/context`, TIMEOUT_MS),
    ]);
    const health: Record<string, boolean> = {
      auth: authHost.ok && authHost.status === 200,
      api: apiHost.ok && apiHost.status === 401,
      ...shared,
    };
    const now = this.#system.clock.now();
    this.boards[environment].update(health, now);
  }

  async #databaseAnswers(): Promise<boolean> {
    const timeout = new Promise<false>((resolve) => {
      setTimeout(() => resolve(false), TIMEOUT_MS).unref();
    });
    const answer = sql`select 1`.execute(this.#system.db).then(
      () => true,
      () => false,
    );
    return Promise.race([answer, timeout]);
  }
}

function components(now: Date): Component[] {
  return [
    new Component(
      { id: 'auth', name: 'Sign-in', description: 'The auth host: registration, sign-in, sessions, OpenID Connect.' },
      now,
    ),
    new Component({ id: 'api', name: 'API', description: 'The API host: self-service and administration.' }, now),
    new Component(
      { id: 'database', name: 'Database', description: 'Where accounts, sessions and settings are kept.' },
      now,
    ),
    new Component({ id: 'worker', name: 'Background work', description: 'Mails and messages, events, clean-up.' }, now),
  ];
}

const proberOf = perSystem((system) => new Prober(system));

/** The status of an environment, as this process knows it. */
export function boardOf(system: System, environment: Environment): Board {
  return proberOf(system).boards[environment];
}

/** Starts probing, in every process that answers requests: the state is held in memory and needs nobody else. */
export function startProber(system: System): { stop: () => void } {
  const prober = proberOf(system);
  let busy = false;
  const round = () => {
    if (busy) return;
    busy = true;
    prober
      .round()
      .catch((error: unknown) => system.log.warn({ err: error }, 'status probe'))
      .finally(() => {
        busy = false;
      });
  };
  const timer = setInterval(round, INTERVAL_MS);
  round();
  return { stop: () => clearInterval(timer) };
}
