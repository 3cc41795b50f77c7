import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redacted } from './redaction.ts';

describe('the response of a receiver is stored without credentials', () => {
  const cases: Record<string, string> = {
    'Authorization: Bearer x': 'Authorization: [redacted]',
    'authorization: Bearer abc.def.ghi and more': 'authorization: [redacted]',
    'got Authorization: Digest username="ada", response="6629fae49393a05397450978507c4ef1"\nnext line':
      'got Authorization: [redacted]\nnext line',
    'Proxy-Authorization: Basic dXNlcjpwYXNz': 'Proxy-Authorization: [redacted]',
    'Set-Cookie: sid=1; Path=/; HttpOnly\r\nServer: x': 'Set-Cookie: [redacted]\r\nServer: x',
    'Cookie=a=b; c=d': 'Cookie=[redacted]',
    '{"authorization":"Bearer x y","other":1}': '{"authorization":[redacted],"other":1}',
    '{"echo":"{\\"authorization\\":\\"Token short\\"}"}': '{"echo":"{\\"authorization\\":[redacted]}"}',
    'DPoP: proof, password=hunter2; user=ada': 'DPoP: proof, password=[redacted]; user=ada',
    'the authorization of the request failed': 'the authorization of the request failed',
  };
  for (const [said, kept] of Object.entries(cases))
    test(said, () => {
      assert.equal(redacted(said, []), kept);
    });
});
