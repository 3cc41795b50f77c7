import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Component } from './components.ts';
import { Board } from './summary.ts';

const start = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const board = () =>
  new Board(
    'test',
    ['auth', 'database'].map((id) => new Component({ id, name: id, description: '' }, start)),
    start,
  );
const read = (of: Board) => JSON.parse(of.rendered.body);

describe('the status board', () => {
  test('begins operational', () => {
    assert.deepEqual(
      (({ overallStatus, severity, summary }) => ({ overallStatus, severity, summary }))(read(board())),
      { overallStatus: 'operational', severity: 'none', summary: 'All systems are operational.' },
    );
  });

  test('one failed probe changes nothing, two do; so do two good ones back', () => {
    const of = board();
    const trace = [false, true, false, true, false, false, true, false, true, true];
    const statuses = trace.map((healthy, index) => {
      of.update({ auth: healthy, database: true }, at(index));
      return read(of).overallStatus;
    });
    assert.deepEqual(statuses, [
      'operational',
      'operational',
      'operational',
      'operational',
      'operational',
      'degraded',
      'degraded',
      'degraded',
      'degraded',
      'operational',
    ]);
  });

  test('says how bad it is, what is affected and since when', () => {
    const of = board();
    for (const second of [1, 2]) of.update({ auth: true, database: false }, at(second));
    const summary = read(of);
    assert.deepEqual([summary.severity, summary.summary], ['major', 'Affected: database.']);
    assert.deepEqual(
      summary.groups[0].components.map(({ id, status, updatedAt }: Record<string, string>) => [id, status, updatedAt]),
      [
        ['auth', 'operational', start.toISOString()],
        ['database', 'major_outage', at(2).toISOString()],
      ],
    );
    for (const second of [3, 4]) of.update({}, at(second));
    assert.equal(read(of).severity, 'critical');
  });

  test('keeps the same bytes while nothing changes, for a minute', () => {
    const of = board();
    const { etag } = of.rendered;
    of.update({ auth: true, database: true }, at(59));
    assert.equal(of.rendered.etag, etag);
    of.update({ auth: true, database: true }, at(60));
    assert.notEqual(of.rendered.etag, etag);
    assert.equal(read(of).generatedAt, at(60).toISOString());
  });
});
