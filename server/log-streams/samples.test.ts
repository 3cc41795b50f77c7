import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { datadog, elastic, jsonLines, otlp, splunk } from './formats.ts';
import type { LogEntry } from './log-entries.ts';
import { messageOf } from './syslog.ts';

const userId = 'usr_01kaz3w9hqf8p9n2m4v5x6y7z8';
const actor = { kind: 'customer', userId };
const ENTRY: LogEntry = {
  workspaceId: 'wrk_01kaz3w9hqf8p9n2m4v5x6y7z8',
  projectId: 'prj_01kaz3w9hqf8p9n2m4v5x6y7z8',
  environment: 'production',
  id: 'evt_01kaz3w9hqf8p9n2m4v5x6y7z8',
  sequence: 4_711,
  occurredAt: '2026-01-31T09:00:00.000Z',
  action: 'user.logout',
  actor,
  resources: [userId],
  correlationId: '5b7f0c52-8a7e-4d0a-9a33-0d4f1f1c2b11',
  data: { userId, everywhere: false },
  hash: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
};

const pretty = (text: string) => JSON.stringify(JSON.parse(text), null, 2);
const lines = (text: string) => text.trim().split('\n');

const SAMPLES: Record<string, string> = {
  splunk: pretty(splunk.piece(ENTRY)),
  datadog: pretty(datadog.body([datadog.piece(ENTRY)])),
  elastic: lines(elastic.piece(ENTRY)).map(pretty).join('\n'),
  json_lines: jsonLines.piece(ENTRY).trim(),
  otlp: pretty(otlp.body([otlp.piece(ENTRY)])),
  syslog: messageOf(ENTRY, 'auth.example.com'),
};

for (const [kind, sample] of Object.entries(SAMPLES))
  test(`the documentation of ${kind} shows an entry as it is sent`, async () => {
    const path = new URL(`../../docs/log-streams/${kind.replace('_', '-')}.md`, import.meta.url);
    const page = await readFile(path, 'utf8');
    const block = /^(```\w+ sample=(\w+)\n)[\s\S]*?^```$/m;
    assert.equal(block.exec(page)?.[2], kind);
    const whole = page.replace(block, (_all, fence: string) => `${fence}${sample}\n\`\`\``);
    if (process.env['UPDATE_DOCS']) await writeFile(path, whole);
    assert.equal(await readFile(path, 'utf8'), whole, 'run again with UPDATE_DOCS=1 and look at the difference');
  });
