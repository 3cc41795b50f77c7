import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import type { Environment } from './ctx.ts';
import type { ProjectId, WorkspaceId } from './ids.ts';
import { acrossProjects, at, inRealm, inScope, inWorkspace, scopeColumns } from './scoped.ts';

type OfRealm = { workspace_id: string; environment: string; id: string };
type OfScope = OfRealm & { project_id: string };

const db = new Kysely<{ people: OfRealm; members: OfScope; teams: { workspace_id: string } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (own) => new PostgresIntrospector(own),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});
const workspaceId: WorkspaceId = 'wrk_1';
const projectId: ProjectId = 'prj_1';
const environment: Environment = 'test';
const ctx = { scope: { workspaceId, projectId, environment }, now: 1 };

test('a condition names the columns of its table, and passes their values as parameters', () => {
  const own = db.updateTable('members').set({ id: 'new' }).where(inScope(ctx)).where('id', '=', 'old').compile();
  assert.match(own.sql, / where "workspace_id" = \$2 and "project_id" = \$3 and "environment" = \$4 and "id" = \$5$/);
  assert.deepEqual(own.parameters, ['new', 'wrk_1', 'prj_1', 'test', 'old']);
  const all = db.deleteFrom('members').where(acrossProjects(ctx)).compile();
  assert.match(all.sql, / where "workspace_id" = \$1 and "environment" = \$2$/);
  assert.match(db.selectFrom('teams').where(inWorkspace(ctx)).compile().sql, / where "workspace_id" = \$1$/);
});

test('in a statement with several tables it names the columns of one of them', () => {
  const { sql } = db
    .selectFrom('members as m')
    .innerJoin('people as p', 'p.id', 'm.id')
    .where(inScope(ctx, 'm'))
    .where(inRealm(ctx, 'p'))
    .compile();
  assert.match(sql, / where "m"\."workspace_id" = .* and "p"\."workspace_id" = \$4 and "p"\."environment" = \$5$/);
});

test('at() changes only the scope of a context, and new rows get that scope', () => {
  const there = at(ctx, { projectId: 'prj_2' });
  assert.deepEqual(there, { scope: { workspaceId, projectId: 'prj_2', environment }, now: 1 });
  assert.deepEqual(scopeColumns(there), { workspace_id: 'wrk_1', project_id: 'prj_2', environment: 'test' });
});
