import { expect, test } from 'vitest';
import { kinds } from './kinds.ts';
import { snippetsFor } from './snippets.ts';

const facts = {
  issuer: 'https://login.example.com',
  apiUrl: 'https://api.example.com',
  clientId: 'client-1',
  redirectUri: 'https://app.example.com/callback',
  workspaceId: 'wrk_1',
  projectId: 'prj_1',
  environment: 'test',
};

test('every kind of application that OpenID Connect serves has code with its own client id and issuer in it', () => {
  for (const kind of kinds.filter((one) => one !== 'saml')) {
    const codes = snippetsFor(kind).map(({ code }) => code(facts));
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes) {
      expect(code).toContain(facts.clientId);
      expect(code).toContain(facts.issuer);
    }
  }
});
