import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';
import type { System } from '#platform/system.ts';
import { isClosed } from '#tenancy';

const { base, Check, Prompt } = interactionPolicy;

/** What a person may be asked before an authorization request is answered: the library's questions and four of ours. */
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
    new Check('acr_values', 'a second factor is asked for', ({ oidc }) => wantsSecondFactor(oidc)),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

/** A session goes on in the other projects of its workspace once it has begun anew in one that stays. */
async function beganInClosed(system: System, { session, result }: KoaContextWithOIDC['oidc']): Promise<boolean> {
  const { accountId, workspaceId, projectId } = session ?? {};
  if (!accountId || !workspaceId || !projectId || result?.login) return false;
  return isClosed(system, { workspaceId, projectId });
}

/** `acr_values` is a wish (OpenID Connect Core §3.1.2.1): it is tried to be fulfilled once. */
function wantsSecondFactor({ params, session, result }: KoaContextWithOIDC['oidc']): boolean {
  const [wanted] = String(params?.['acr_values'] ?? '').split(' ');
  return wanted === 'aal2' && session?.accountId !== undefined && session.acr !== 'aal2' && !result?.login;
}
