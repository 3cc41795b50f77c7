import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { createApi } from '#apis';
import { createApplication, type NewApplication } from '#applications';
import { register, startTestLatchkey, type TestLatchkey } from '#tests/harness.ts';
import { codeFlow, signInOn, userInfoOf } from '#tests/oidc.ts';

const RESOURCE = 'https://api.ledger.example';
const PROTOCOL = ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub'];

let latchkey: TestLatchkey;
let api: `api_${string}`;
before(async () => {
  latchkey = await startTestLatchkey();
  ({ id: api } = await latchkey.inProject((tx) => createApi(tx, { identifier: RESOURCE, name: 'Ledger' })));
});
after(() => latchkey.stop());

/** The claims about the person in the ID token, and all at userinfo, after a sign-in at a new application. */
async function told(asked: Record<string, string>, values: Partial<NewApplication> = {}) {
  const { clientId } = await latchkey.inProject((tx) =>
    createApplication(tx, {
      kind: 'spa',
      name: 'Test application',
      redirectUris: ['http://localhost:5173/callback'],
      apis: [{ apiId: api, scopes: [], machineScopes: [] }],
      ...values,
    }),
  );
  const person = await register(latchkey, { profile: { displayName: 'Ada Lovelace' } });
  const flow = await codeFlow(latchkey, asked, { clientId });
  const tokens = await flow.finish(await signInOn(latchkey, flow, person));
  const names = (claims: object) => Object.keys(claims).toSorted();
  const idToken = (received: client.TokenEndpointResponseHelpers) =>
    names(received.claims() ?? {}).filter((claim) => !PROTOCOL.includes(claim));
  const userinfo = 'resource' in asked ? [] : names(await userInfoOf(flow, tokens));
  return { flow, tokens, idToken, atSignIn: idToken(tokens), userinfo };
}

const SCOPE = 'openid profile email';

describe('the claims of a person', () => {
  test('are at userinfo; the ID token only proves the sign-in, also at a refresh', async () => {
    const { flow, tokens, idToken, atSignIn, userinfo } = await told({ scope: SCOPE });
    assert.deepEqual(atSignIn, []);
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    assert.deepEqual(idToken(refreshed), []);
    assert.deepEqual(userinfo, ['email', 'email_verified', 'name', 'project_id', 'sub', 'updated_at', 'workspace_id']);
  });

  test('are in the ID token if the claims parameter asks for them there', async () => {
    const claims = JSON.stringify({ id_token: { email: null, workspace_id: { essential: true } } });
    assert.deepEqual((await told({ scope: 'openid', claims })).atSignIn, ['email', 'workspace_id']);
  });

  test('are at userinfo if the claims parameter asks for them there', async () => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const { atSignIn, userinfo } = await told({ scope: 'openid', claims });
    assert.deepEqual([atSignIn, userinfo], [[], ['name', 'project_id', 'sub', 'workspace_id']]);
  });

  test('are every standard claim of `profile` that the person filled', async () => {
    const fields = {
      displayName: 'Ada Lovelace',
      givenName: 'Ada',
      middleName: 'Augusta',
      familyName: 'Lovelace',
      nickname: 'Countess',
      gender: 'female',
      picture: 'https://ada.example/me.png',
      profile: 'https://social.example/ada',
      website: 'https://ada.example',
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      birthdate: '1815-12-10',
    };
    const person = await register(latchkey, { profile: fields });
    const changed = { token: person.access_token, method: 'PATCH', body: { username: `ada${Date.now()}` } };
    assert.equal((await latchkey.api('/v1/me/profile', changed)).status, 200);
    const flow = await codeFlow(latchkey, { scope: 'openid profile' });
    const { updated_at: updatedAt, ...claims } = await userInfoOf(
      flow,
      await flow.finish(await signInOn(latchkey, flow, person)),
    );
    assert.equal(typeof updatedAt, 'number');
    const { displayName, givenName, middleName, familyName, ...same } = fields;
    const names = { name: displayName, given_name: givenName, middle_name: middleName, family_name: familyName };
    const { workspaceId, projects } = latchkey.demo;
    const { userId } = person.session;
    const ids = { sub: userId, workspace_id: workspaceId, project_id: projects[0]?.id };
    assert.deepEqual(claims, { ...names, ...same, preferred_username: changed.body.username, ...ids });
    const announced = flow.configuration.serverMetadata().claims_supported ?? [];
    assert.deepEqual(
      Object.keys(claims).filter((claim) => !announced.includes(claim)),
      [],
    );
  });

  test('are all in the ID token of an application that is configured so', async () => {
    const { atSignIn } = await told({ scope: SCOPE }, { idTokenClaims: 'scopes' });
    assert.deepEqual(atSignIn, ['email', 'email_verified', 'name', 'project_id', 'updated_at', 'workspace_id']);
  });

  test('are in the ID token when the access token is for an API and does not open userinfo', async () => {
    const { flow, tokens, idToken, atSignIn } = await told({ scope: 'openid email', resource: RESOURCE });
    const refreshed = await client.refreshTokenGrant(flow.configuration, tokens.refresh_token ?? '');
    const claims = ['email', 'email_verified', 'project_id', 'workspace_id'];
    assert.deepEqual([atSignIn, idToken(refreshed)], [claims, claims]);
  });
});
