import { expect, test } from 'vitest';
import { faultIn, objectIn } from './json.tsx';

test('only a JSON object is taken, and the fault of another text belongs to its field', () => {
  expect(objectIn('metadata', '{"plan": "pro"}')).toEqual({ plan: 'pro' });
  expect(faultIn('[1]')).toContain('JSON object');
  expect(faultIn('null')).toContain('JSON object');
  expect(faultIn('{"a": }')).toBeDefined();
  expect(() => objectIn('metadata', '{')).toThrowError(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/body/metadata' })] }),
  );
});
