import { interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider';

const { base, Check, Prompt } = interactionPolicy;

/** What a person may be asked before an authorization request is answered: the library's questions and three of ours. */
export function prompts(): interactionPolicy.DefaultPolicy {
  const policy = base();
  const login = policy.get('login');
  if (!login) throw new Error('unreachable: the library always asks for a login');
  login.checks.push(
    new Check('not_a_member', 'the signed-in person is no member of this project', ({ oidc }) =>
      Boolean(oidc.session?.accountId && !oidc.account),
    ),
    new Check('acr_values', 'a second factor is asked for', ({ oidc }) => wantsSecondFactor(oidc)),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

/** `acr_values` is a wish (OpenID Connect Core §3.1.2.1): it is tried to be fulfilled once. */
function wantsSecondFactor({ params, session, result }: KoaContextWithOIDC['oidc']): boolean {
  const [wanted] = String(params?.['acr_values'] ?? '').split(' ');
  return wanted === 'aal2' && session?.accountId !== undefined && session.acr !== 'aal2' && !result?.login;
}
