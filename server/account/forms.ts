import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { requireStillAdmitted } from '#admission';
import { browserRoutes, pathOf } from '#pages';
import { type Id, IdSchema } from '#platform/ids.ts';
import { Problem, problem } from '#platform/problem.ts';
import { requireFreshProof } from '#step-up';
import { BASE, explain, scopeAsked, toSignIn, type Visit, visitOf } from './visit.ts';

const part = Type.Optional(Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_.-]+$' }));
const Named = Type.Object({ id: part });
/** The path parameters. */
export type Named = Static<typeof Named>;

/**
 * Pages and forms of the account, for a signed-in user. Others are sent to sign in and return afterwards; so are users
 * who must authenticate again.
 */
export const { page, action } = browserRoutes<Visit, typeof Named>({
  path: BASE,
  params: Named,
  explain,
  enter: async ({ request, reply, back }, work) => {
    const origin = back === undefined ? pathOf(request) : BASE + back;
    const visit = await visitOf(request, reply);
    if (!visit) return toSignIn(request, reply, { scope: await scopeAsked(request), back: origin });
    try {
      await requireStillAdmitted(visit.ctx, 'account_page', visit.entry);
      const freshProof = request.route?.freshProof;
      if (freshProof) await requireFreshProof(visit.ctx, freshProof, request.params);
      return await work(visit);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'REAUTHENTICATION_REQUIRED') throw error;
      const { email, username, phone } = visit.profile;
      const { acr, ownProof = false } = error.extensions;
      const again = {
        as: email ?? username ?? phone,
        secondFactor: acr === 'aal2',
        ownProof: ownProof === true,
      };
      return toSignIn(request, reply, { scope: visit.ctx.scope, back: origin, again });
    }
  },
});

/**
 * Parses an id in the path.
 * @throws Problem NOT_FOUND if it is invalid
 */
export function idOf<Prefix extends string>(prefix: Prefix, text: string | undefined): Id<Prefix> {
  const schema = IdSchema(prefix);
  if (!Value.Check(schema, text)) throw problem('NOT_FOUND');
  return text;
}
