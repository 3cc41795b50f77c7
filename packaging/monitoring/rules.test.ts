import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';

/** What Prometheus makes of the alerts. Without promtool these tests are skipped by name. */

function promtool(...args: string[]): string {
  return execFileSync('promtool', args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

function isInstalled(): boolean {
  try {
    promtool('--version');
    return true;
  } catch {
    return false;
  }
}

describe('the alerts of Prometheus', { skip: isInstalled() ? false : 'promtool is not installed' }, () => {
  test('are well-formed', () => {
    assert.match(promtool('check', 'rules', 'prometheus-rules.yaml'), /SUCCESS: \d\d rules found/);
  });

  test('fire when they should, and not before', () => {
    assert.match(promtool('test', 'rules', 'prometheus-rules.test.yaml'), /SUCCESS/);
  });
});
