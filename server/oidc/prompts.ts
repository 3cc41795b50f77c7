import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import { isOfOrganization } from '#admission';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';
import { decisionOn } from './admission.ts';
import { notNow } from './custom-claims.ts';
import { wantedLevel } from './wanted-level.ts';

const { base, Check, Prompt } = interactionPolicy;

/** The values of `prompt` that an application may send. */
export const PROMPT_VALUES = ['none', 'login', 'consent', 'select_account', 'create'];

/** The prompts before an authorization response: the library's and Latchkey's. */
export function prompts(system: System): interactionPolicy.DefaultPolicy {
  const policy = base();
  const login = policy.get('login');
  if (!login) throw new Error('unreachable: the library always asks for a login');
  login.checks.push(
    new Check('not_a_member', 'the signed-in person is no member of this project', ({ oidc }) =>
      Boolean(oidc.session?.accountId && !oidc.account),
    ),
    new Check('closed', 'the project the browser signed in at is to be deleted', ({ oidc }) =>
      beganInClosed(system, oidc),
    ),
    new Check('second_factor_required', 'the project asks for a second factor', 'login_required', (ctx) =>
      needsMore(system, ctx),
    ),
    new Check('acr_values', 'a second factor is asked for', 'login_required', ({ oidc }) => isRequested(oidc)),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  // Initiating User Registration via OpenID Connect 1.0.
  policy.add(new Prompt({ name: 'create', requestable: true }), 0);
  return policy;
}

/**
 * True if the session started in a closed project: it continues in other projects only after a new sign-in in one of
 * them.
 */
async function beganInClosed(system: System, { session, result }: KoaContextWithOIDC['oidc']): Promise<boolean> {
  const { accountId, workspaceId, projectId } = session ?? {};
  if (!accountId || !workspaceId || !projectId || result?.login) return false;
  return isClosed(system, { workspaceId, projectId });
}

/** The refusals that another way in may lift. */
const ANOTHER_WAY: readonly string[] = ['organization_method', 'foreign_connection'];

/**
 * Whether the browser's session does not suffice for the project, or for what the application requests.
 * @throws UnmetAuthenticationRequirements when the second factor is essential and the user has none: a prompt would be
 * useless, AccessDenied when the user cannot enter the organization of the request
 */
async function needsMore(system: System, ctx: KoaContextWithOIDC): Promise<boolean> {
  const { oidc } = ctx;
  // Another person may sign in at this prompt, so the decision has to wait.
  if (oidc.promptPending('login')) return false;
  const decision = await decisionOn(system, ctx);
  if (decision.kind === 'refused' && ANOTHER_WAY.includes(decision.because) && !oidc.result?.login) return true;
  if (decision.kind === 'refused' && isOfOrganization(decision.because))
    throw new errors.AccessDenied('the person cannot use this organization', decision.because);
  if (decision.kind === 'refused' && decision.because === 'action')
    throw new errors.AccessDenied(decision.message ?? 'a check of the project refused this', 'refused_by_action');
  if (decision.kind === 'refused' && decision.because === 'action_failed') throw notNow();
  if (decision.kind === 'refused' && decision.because === 'unmet')
    throw new errors.UnmetAuthenticationRequirements('the person has no second factor that reaches what was asked for');
  return decision.kind !== 'admitted';
}

/** No user is signed in yet, and the next sign-in should use a second factor, if the user has one. */
function isRequested({ params, session }: KoaContextWithOIDC['oidc']): boolean {
  return session?.accountId === undefined && wantedLevel(params) === 'wished';
}
