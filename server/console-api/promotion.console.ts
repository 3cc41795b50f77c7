import { Type } from 'typebox';
import type { PromotedStep, Target } from '#configuration';
import type { Environment } from '#platform/ctx.ts';
import type { Request } from '#platform/http.ts';
import { get, post, type Routes } from '#platform/route.ts';
import { nullable } from '#platform/schemas.ts';

/** Loaded at first use. */
const configurationPart = () => import('#configuration');

const Action = Type.Enum(['create', 'change', 'remove']);
const json = (description: string) => nullable(Type.String({ description }));

const Step = {
  action: Action,
  kind: Type.String({ description: 'The kind of record, as files of `latchkey config` name it.' }),
  title: Type.String({ description: 'The name of the kind.' }),
  key: Type.String({ description: 'What identifies the record in every environment; empty if there is only one.' }),
};

const PromotionChange = Type.Object(
  {
    id: Type.String({ description: 'It names the change while both environments are as this response shows them.' }),
    ...Step,
    values: Type.Array(
      Type.Object({
        field: Type.String({ description: 'The field that can be chosen.' }),
        name: Type.String({ description: 'The field, or the value inside it.' }),
        before: json('JSON of the present value; null: none, or secret.'),
        after: json('JSON of the value in the other environment; null: none, or secret.'),
        secret: Type.Boolean({ description: 'The value is secret, so it is not shown.' }),
      }),
    ),
    secrets: Type.Array(Type.String(), { description: 'Secrets to send with the change: they cannot be read back.' }),
    issues: Type.Boolean({ description: 'Latchkey makes a secret for the new record; the response has it once.' }),
  },
  { title: 'PromotionChange' },
);

const Promotion = Type.Object(
  {
    from: Type.Enum(['test', 'production']),
    changes: Type.Array(PromotionChange),
    faults: Type.Array(Type.String(), { description: 'Differences that cannot be applied, and why.' }),
    notCompared: Type.Array(Type.Object({ title: Type.String(), permission: Type.String() }), {
      description: 'Kinds that your role may not read, so nothing is known about them.',
    }),
  },
  { title: 'Promotion' },
);

const Name = Type.String({ minLength: 1, maxLength: 300 });
const Chosen = Type.Object({
  changes: Type.Array(
    Type.Object({
      id: Type.String({ minLength: 22, maxLength: 22 }),
      fields: Type.Optional(
        Type.Array(Name, {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description: 'Only these fields of a change. Absent: all.',
        }),
      ),
    }),
    { minItems: 1, maxItems: 500 },
  ),
  secrets: Type.Optional(
    Type.Array(Type.Object({ name: Name, value: Type.String({ minLength: 1, maxLength: 10_000 }) }), {
      maxItems: 100,
      description: 'The values of the secrets that the changes need.',
    }),
  ),
});

const Outcome = Type.Object(
  {
    done: Type.Array(Type.Object(Step)),
    failed: nullable(Type.Object({ ...Step, reason: Type.String() })),
    left: Type.Array(Type.Object(Step), { description: 'Changes that come after the failed one and were not made.' }),
    issued: Type.Array(
      Type.Object({ kind: Type.String(), key: Type.String(), field: Type.String(), value: Type.String() }),
      { description: 'Secrets of new records. They are shown once.' },
    ),
  },
  { title: 'PromotionOutcome' },
);

/** Taking the configuration of the other environment over, change by change. */
export const promotionRoutes: Routes = [
  get('/console/v1/promotion', {
    permission: 'settings:read',
    summary: 'Compare the configuration with the other environment',
    description:
      'What has to change here so that the configuration is as in the other environment of the project. Kinds that your role may not read are not compared.',
    responses: { 200: Promotion },
    handler: async (request) => {
      const { planPromotion } = await configurationPart();
      const { steps, faults, unread } = await planPromotion(await worldsOf(request));
      const notCompared = unread.flatMap(({ kind: { title }, permission }) =>
        permission === null ? [] : [{ title, permission }],
      );
      return { from: otherThan(request.ctx.scope.environment), changes: steps.map(shownChange), faults, notCompared };
    },
  }),
  post('/console/v1/promotion', {
    permission: 'settings:write',
    stepUp: true,
    silent: 'each change emits its own events',
    summary: 'Apply changes from the other environment',
    description:
      'Makes the chosen changes one after the other and stops at the first that fails. Each is a request to the operation that changes its kind, so it needs the permission of that operation, is checked against the state that you saw, and has its own events and audit entries.',
    body: Chosen,
    responses: { 200: Outcome },
    problems: ['CONFLICT', 'NOT_FOUND'],
    handler: async (request) => {
      const { changes, secrets = [] } = request.body;
      const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
      const { applyPromotion } = await configurationPart();
      const { done, failed, left, issued } = await applyPromotion(await worldsOf(request), changes, values);
      return {
        done: done.map(shownStep),
        failed: failed && { ...shownStep(failed.step), reason: failed.reason },
        left: left.map(shownStep),
        issued,
      };
    },
  }),
];

type Step = PromotedStep['step'];

const shownStep = ({ action, kind, key }: Step) => ({ action, kind: kind.name, title: kind.title, key });

function shownChange({ step, ...change }: PromotedStep) {
  return { ...change, ...shownStep(step) };
}

function otherThan(environment: Environment): Environment {
  return environment === 'test' ? 'production' : 'test';
}

async function worldsOf(request: Request) {
  const { worldOf } = await configurationPart();
  const { environment } = request.ctx.scope;
  return {
    from: worldOf(targetOf(request, otherThan(environment))),
    to: worldOf(targetOf(request, environment)),
  };
}

const ADMIN = '/v1/admin/';
/** The headers by which a request proves who sends it and from which page. */
const PROOF = ['host', 'cookie', 'origin', 'x-csrf-token', 'user-agent', 'accept-language'] as const;

/** The admin API as the operator of a request may call it at the console's addresses. */
function targetOf(request: Request, environment: Environment): Target {
  const { workspaceId, projectId } = request.ctx.scope;
  const proof = PROOF.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const headers = {
    ...Object.fromEntries(proof),
    'x-workspace-id': workspaceId,
    'x-project-id': projectId,
    'x-environment': environment,
    'x-correlation-id': request.trace.correlationId,
  };
  const call: Target['call'] = async (method, path, { body, etag } = {}) => {
    const response = await request.server.inject({
      method,
      url: `/console/v1/${path.slice(ADMIN.length)}`,
      remoteAddress: request.ip,
      headers: { ...headers, ...(typeof etag === 'string' && { 'if-match': etag }) },
      ...(body !== undefined && { payload: body }),
    });
    const parsed = response.body === '' ? null : response.json();
    if (response.statusCode >= 400) {
      const { refusalOf } = await configurationPart();
      throw refusalOf(`${method} ${path}`, response.statusCode, parsed);
    }
    const tag = response.headers.etag;
    return { body: parsed, etag: typeof tag === 'string' ? tag : null };
  };
  return { workspaceId, projectId, environment, clientId: null, call };
}
