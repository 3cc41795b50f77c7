import type { Provider } from 'oidc-provider';

/**
 * Adds `at_hash` to the ID tokens of the token endpoint (OpenID Connect Core §3.1.3.6). It is optional there, and some
 * clients verify the access token by it.
 */
export function addTokenHash({ AccessToken, IdToken }: Provider): void {
  const values = new WeakMap<object, string>();
  const { save } = AccessToken.prototype;
  AccessToken.prototype.save = async function saveAndKeep(...args) {
    const value = await save.apply(this, args);
    values.set(this, value);
    return value;
  };
  const { issue } = IdToken.prototype;
  IdToken.prototype.issue = async function issueWithHash(context) {
    const token = context.use === 'idtoken' ? this.ctx?.oidc.entities.AccessToken : undefined;
    const value = token && values.get(token);
    // The library hashes the value with the algorithm of the signature.
    if (value !== undefined) this.set('at_hash', value);
    return issue.call(this, context);
  };
}
