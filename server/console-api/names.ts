import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { applicationNames } from '#applications';
import { membershipsByUser } from '#members';
import { installationOf } from '#operators';
import { type UserSummary, usersById } from '#people';
import { type Ctx, operatorOf } from '#platform/ctx.ts';
import { type ApplicationId, IdSchema, type MemberId, type UserId } from '#platform/ids.ts';

/** The names of the ids in a list. */
const Names = Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]), {
  description:
    'Names of people, operators and applications by id; null: the person was erased. Ids without a name, or that you may not see, are left out.',
});
type Names = Static<typeof Names>;

/** What a log adds to its entries. */
export const Named = {
  names: Names,
  members: Type.Record(Type.String(), IdSchema('mem'), {
    description: 'The memberships in the project of the people on the page, by user id.',
  }),
};
type Named = { names: Names; members: Record<string, MemberId> };

type Logged = { actor: { kind: string; [name: string]: unknown } | null; resources: readonly string[]; example?: true };

const UserIdSchema = IdSchema('usr');
const ApplicationIdSchema = IdSchema('app');

/**
 * The names of actors and subjects on a page of a log: at most four statements, whatever its length, each within the
 * workspace and only for actors who may read such records. Example events have made-up ids, which have no names.
 */
export async function namesIn(ctx: Ctx, events: readonly Logged[]): Promise<Named> {
  const { permissions } = operatorOf(ctx);
  const may = (permission: string) => permissions.includes(permission);
  const { people, operators, applications } = idsIn(events.filter(({ example }) => !example));
  const [ofPeople, ofOperators, ofApplications, memberships] = await Promise.all([
    may('members:read') ? namesOfPeople(ctx, people) : {},
    // Operators are users of the built-in workspace. That they acted here is taken from the actor, never from the data
    // of an event.
    may('team:read') ? namesOfPeople({ db: ctx.db, scope: installationOf(ctx.system).scope }, operators) : {},
    may('applications:read') ? applicationNames(ctx, applications) : {},
    membershipsByUser(ctx, may('members:read') ? people : []),
  ]);
  const members = Object.fromEntries([...memberships].map(([userId, { id }]) => [userId, id]));
  return { names: { ...ofPeople, ...ofOperators, ...ofApplications }, members };
}

function idsIn(events: readonly Logged[]) {
  const people = new Set<UserId>();
  const operators = new Set<UserId>();
  const applications = new Set<ApplicationId>();
  for (const { actor, resources } of events) {
    const actors = actor?.kind === 'operator' ? operators : people;
    if (Value.Check(UserIdSchema, actor?.['userId'])) actors.add(actor['userId']);
    for (const id of [actor?.['applicationId'], ...resources]) {
      if (Value.Check(ApplicationIdSchema, id)) applications.add(id);
      if (Value.Check(UserIdSchema, id)) people.add(id);
    }
  }
  return { people: [...people.difference(operators)], operators: [...operators], applications: [...applications] };
}

/** An id in a log that is not found belongs to an erased user. */
async function namesOfPeople(where: Parameters<typeof usersById>[0], ids: readonly UserId[]): Promise<Names> {
  const found = await usersById(where, ids);
  return Object.fromEntries(
    ids.flatMap((id) => {
      const person = found.get(id);
      const name = person ? nameOf(person) : null;
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

function nameOf({ displayName, email, username, phone }: UserSummary): string | undefined {
  return displayName ?? email ?? username ?? phone ?? undefined;
}
