import { expect, test } from 'vitest';
import { kinds } from './kinds.ts';
import { NO_ADDRESSES, placeOf, snippetsFor } from './snippets.ts';

const facts = {
  issuer: 'https://login.example.com',
  apiUrl: 'https://api.example.com',
  clientId: 'client-1',
  clientSecret: 'secret-1',
  workspaceId: 'wrk_1',
  projectId: 'prj_1',
  environment: 'test',
  origin: 'https://shop.example.com',
  appRedirect: 'com.example.shop:/back',
  audience: 'https://orders.example.com',
  random: 'random-1',
};

test('every kind of application that OpenID Connect serves has code with its own issuer in it', () => {
  for (const kind of kinds.filter((one) => one !== 'saml')) {
    const snippets = snippetsFor(kind);
    expect(snippets.length).toBeGreaterThan(0);
    for (const { env, files, needsApi } of snippets) {
      const text = [env?.(facts), ...files(facts).map(([, code]) => code)].join('\n');
      expect(text).toContain(facts.issuer);
      expect(text).toContain(needsApi ? facts.audience : facts.clientId);
      expect(text).not.toMatch(/%\w+%|localhost:3000|com\.example\.app/);
    }
  }
});

const web = snippetsFor('web').find(({ key }) => key === 'express');

test('code runs where the application returns to, and says which addresses are missing', () => {
  if (!web) throw new Error('There is no code for Express.');
  const redirectUris = ['https://shop.example.com/other', 'https://shop.example.com/callback'];
  const postLogoutRedirectUris = ['https://shop.example.com/'];
  const backchannelLogoutUri = 'https://shop.example.com/backchannel-logout';
  const all = { redirectUris, postLogoutRedirectUris, origins: [], backchannelLogoutUri };
  expect(placeOf(web, { kind: 'web', ...all })).toEqual({
    origin: 'https://shop.example.com',
    appRedirect: '',
    missing: null,
  });
  const some = { ...NO_ADDRESSES, postLogoutRedirectUris, backchannelLogoutUri };
  expect(placeOf(web, { kind: 'web', ...NO_ADDRESSES, redirectUris }).missing).toEqual(some);
  const elsewhere = { ...all, backchannelLogoutUri: 'https://sessions.example.com/ended' };
  expect(placeOf(web, { kind: 'web', ...elsewhere }).missing).toBe(null);
  expect(placeOf(web, { kind: 'web', ...NO_ADDRESSES }).missing?.redirectUris).toEqual([
    'http://localhost:3000/callback',
  ]);
});
