import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { Check } from 'typebox/schema';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../server/platform/config.ts';

/** Renders the chart with Helm. Without Helm these tests are skipped by name, except those of the schema of the values. */

const CHART = import.meta.dirname;
/** Named, because a Helm built from its source assumes an older version of Kubernetes. */
const KUBERNETES = '1.31.0';
const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
const options = { skip: isInstalled() ? false : 'Helm is not installed' };

// biome-ignore lint/suspicious/noExplicitAny: what Kubernetes takes has no types here
type Resource = any;

function isInstalled(): boolean {
  try {
    helm('version');
    return true;
  } catch {
    return false;
  }
}

function helm(...args: string[]): string {
  return execFileSync('helm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function rendered(...args: string[]): Resource[] {
  return parseAllDocuments(helm('template', 'latchkey', CHART, '--kube-version', KUBERNETES, ...args))
    .map((document) => document.toJS())
    .filter((resource) => resource !== null);
}

test('the version of the chart is the version of Latchkey', () => {
  const { version } = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8'));
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  assert.deepEqual([chart.version, chart.appVersion], [version, version]);
});

test('the schema accepts the values of the chart, and refuses values of another form', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
  const fits = (candidate: Resource): boolean => Check(schema, candidate);
  assert.ok(fits(values));
  const { auth } = values.processes;
  for (const other of [
    { ...values, imgae: values.image },
    { ...values, drainSeconds: '5' },
    { ...values, addresses: { LATCHKEY_TEST_AUTH_URL: 'auth.example.com' } },
    { ...values, processes: { ...values.processes, auth: { ...auth, roles: 'root' } } },
    { ...values, secretName: undefined },
  ])
    assert.ok(!fits(JSON.parse(JSON.stringify(other))), JSON.stringify(other));
});

describe('the Helm chart', options, () => {
  let resources: Resource[];
  let pods: Resource[];
  before(() => {
    resources = rendered();
    pods = resources.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)).map(({ spec }) => spec.template.spec);
  });
  const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);

  test('passes the checks of Helm, and refuses values of another form', () => {
    assert.match(helm('lint', '--strict', CHART), /0 chart\(s\) failed/);
    assert.throws(() => rendered('--set', 'processes.auth.roles=root'), /roles/);
    assert.throws(() => rendered('--set', 'image.tga=1'), /tga/);
  });

  test('runs each role in a Deployment of its own, which may lose one pod at a time', () => {
    const names = Object.keys(values.processes).map((name) => `latchkey-${name}`);
    for (const kind of ['Deployment', 'PodDisruptionBudget'])
      assert.deepEqual(
        ofKind(kind)
          .map(({ metadata }) => metadata.name)
          .sort(),
        names.sort(),
        kind,
      );
    assert.deepEqual(
      ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name),
      ['latchkey-api', 'latchkey-auth'],
    );
    assert.deepEqual(
      ofKind('Service')
        .map(({ metadata }) => metadata.name)
        .sort(),
      ['latchkey-api', 'latchkey-auth', 'latchkey-console', 'latchkey-status'],
    );
  });

  test('scales by the HorizontalPodAutoscaler alone where there is one', () => {
    const counts = ofKind('Deployment').map(({ metadata, spec }) => [metadata.name, spec.replicas]);
    assert.deepEqual(Object.fromEntries(counts), {
      'latchkey-api': undefined,
      'latchkey-auth': undefined,
      'latchkey-console': 2,
      'latchkey-status': 2,
      'latchkey-worker': 2,
    });
  });

  test('gives every pod a read-only root, no capabilities, no service links and secrets as files', () => {
    assert.equal(pods.length, 6);
    for (const pod of pods) {
      const [container] = pod.containers;
      assert.equal(pod.enableServiceLinks, false);
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.securityContext.runAsUser, 10_001);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const { name } of container.env)
        assert.doesNotMatch(name, /^(DATABASE_URL|LATCHKEY_SECRET|LATCHKEY_SMTP_URL)$/);
    }
  });

  test('asks each process for life and readiness, and waits longer than it drains', () => {
    for (const { spec } of ofKind('Deployment')) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec;
      const [{ livenessProbe, readinessProbe, startupProbe }] = containers;
      assert.equal(livenessProbe.httpGet.path, '/healthz');
      assert.equal(startupProbe.httpGet.path, '/healthz');
      assert.equal(readinessProbe.httpGet.path, '/readyz');
      assert.ok(terminationGracePeriodSeconds > values.drainSeconds);
    }
  });

  test('migrates before anything of the version starts', () => {
    const [{ metadata, spec }] = ofKind('Job');
    assert.equal(metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade');
    assert.deepEqual(spec.template.spec.containers[0].args, ['migrate']);
  });

  test('gives settings that Latchkey takes', () => {
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgres://latchkey:secret@db:5432/latchkey',
      LATCHKEY_SECRET: 'a secret of thirty-two characters',
      LATCHKEY_SMTP_URL: 'smtp://mail.example.com',
    };
    for (const { containers } of pods) {
      const given = containers[0].env.map(({ name, value }: { name: string; value: string }) => {
        const secret = name.replace(/_FILE$/, '');
        return secret === name ? [name, value] : [secret, secrets[secret]];
      });
      assert.equal(loadConfig(Object.fromEntries(given)).mode, 'production');
    }
  });
});
