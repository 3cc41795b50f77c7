import { type Static, Type } from 'typebox';
import { usersById } from '#people';
import { type Ctx, type CustomerActor, customerOf } from '#platform/ctx.ts';
import { IdSchema } from '#platform/ids.ts';
import { problem } from '#platform/problem.ts';
import { get, type Routes } from '#platform/route.ts';
import { perSystem, type System } from '#platform/system.ts';
import { findSession } from '#sessions';
import { projectOf } from '#tenancy';
import { findMember } from './members.ts';

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);
const Instant = Type.String({ format: 'date-time' });

const Context = Type.Object({
  user: Type.Object({
    id: IdSchema('usr'),
    email: nullable(Type.String()),
    emailVerified: Type.Boolean(),
    phone: nullable(Type.String()),
    phoneVerified: Type.Boolean(),
    username: nullable(Type.String()),
    displayName: nullable(Type.String()),
  }),
  membership: Type.Object({
    id: IdSchema('mem'),
    status: Type.String(),
    roles: Type.Array(Type.String()),
    joinedAt: Instant,
  }),
  workspace: Type.Object({ id: IdSchema('wrk'), name: Type.String() }),
  project: Type.Object({ id: IdSchema('prj'), name: Type.String() }),
  environment: Type.Enum(['test', 'production']),
  session: Type.Object({
    id: IdSchema('ses'),
    amr: Type.Array(Type.String()),
    acr: Type.String(),
    authTime: Instant,
    createdAt: Instant,
    expiresAt: Instant,
  }),
});
type Context = Static<typeof Context>;

export const contextRoutes: Routes = [
  get('/v1/me/context', {
    permission: 'customer',
    summary: 'Read my context',
    responses: { 200: Context },
    problems: ['MEMBERSHIP_REQUIRED', 'NOT_FOUND'],
    handler: async (request, reply) => {
      const { context, body } = await contexts(request.server.system).get(request.ctx);
      // Serialised once per session and change, not once per request.
      reply.type('application/json; charset=utf-8').serializer(() => body);
      return context;
    },
  }),
];

async function readContext(ctx: Ctx, actor: CustomerActor): Promise<Context> {
  const [users, member, session, project] = await Promise.all([
    usersById(ctx, [actor.userId]),
    findMember(ctx, actor.userId),
    findSession(ctx, actor.sessionId),
    projectOf(ctx.system, ctx.scope),
  ]);
  const user = users.get(actor.userId);
  if (!user || !session) throw problem('NOT_FOUND');
  if (!member) throw problem('MEMBERSHIP_REQUIRED');
  const { userId, locale: _locale, ...rest } = user;
  return {
    user: { id: userId, ...rest },
    membership: { id: member.id, status: member.status, roles: member.roles, joinedAt: member.joinedAt },
    workspace: { id: project.workspaceId, name: project.workspaceName },
    project: { id: project.projectId, name: project.projectName },
    environment: project.environment,
    session,
  };
}

type Remembered = { context: Context; body: string };

/** Sessions remembered per process; each takes about a kilobyte. */
const MAX_REMEMBERED = 20_000;

/**
 * Serialised contexts of live sessions. Dropped on any change to the person, the membership, the roles or the project that
 * this process hears of; not used while it can't hear.
 */
class ContextCache {
  readonly #system: System;
  /** By scope entry; a context belongs to a person in a project. */
  readonly #known = new Map<string, Remembered>();
  #generation = 0;

  constructor(system: System) {
    this.#system = system;
    system.feed
      .subscribe({ replay: async () => this.#forget(() => true), onChange: (change) => this.#hear(change) })
      .catch((error: unknown) => system.log.error({ err: error }, 'context cache'));
  }

  async get(ctx: Ctx): Promise<Remembered> {
    const actor = customerOf(ctx);
    const known = this.#system.feed.live ? this.#known.get(actor.entryId) : undefined;
    if (known) return known;
    const generation = this.#generation;
    const context = await readContext(ctx, actor);
    const fresh = { context, body: JSON.stringify(context) };
    // A change heard while reading may not be in what was read.
    if (generation === this.#generation) this.#remember(actor.entryId, fresh);
    return fresh;
  }

  #remember(entryId: string, fresh: Remembered): void {
    if (this.#known.size >= MAX_REMEMBERED) {
      const oldest = this.#known.keys().next().value;
      if (oldest !== undefined) this.#known.delete(oldest);
    }
    this.#known.set(entryId, fresh);
  }

  #hear({ topic, key }: { topic: string; key: string }): void {
    if (topic === 'user') this.#forget(({ user }) => user.id === key);
    if (topic === 'project') this.#forget(({ project }) => key === '*' || project.id === key);
    if (topic === 'member') {
      const [project, user] = key.split('/');
      this.#forget((context) => context.project.id === project && (user === '*' || context.user.id === user));
    }
  }

  #forget(affected: (context: Context) => boolean): void {
    this.#generation += 1;
    for (const [entryId, { context }] of this.#known) if (affected(context)) this.#known.delete(entryId);
  }
}

const contexts = perSystem((system) => new ContextCache(system));
