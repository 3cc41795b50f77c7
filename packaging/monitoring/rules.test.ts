import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';

/** Promtool checks and runs the alerts. Without promtool these tests are skipped by name. */

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
  test('promtool accepts the rules', () => {
    assert.match(promtool('check', 'rules', 'prometheus-rules.yaml'), /SUCCESS: \d\d rules found/);
  });

  test('each alert of the test cases fires when it should, and not before', () => {
    assert.match(promtool('test', 'rules', 'prometheus-rules.test.yaml'), /SUCCESS/);
  });
});
