import { type Static, Type } from 'typebox';
import { emit } from '#events';
import { type Ctx, type Environment, type TxCtx, transaction } from '#platform/ctx.ts';
import type { Json } from '#platform/db.ts';
import type { ProjectId, WorkspaceId } from '#platform/ids.ts';
import { inScope, scopeColumns } from '#platform/scoped.ts';
import { numberTypes } from './numbers.ts';

const perHour = (description: string) => Type.Integer({ minimum: 1, maximum: 1_000_000, description });

/** The limits that protect text messages against abuse. */
export const GuardRules = Type.Object(
  {
    countries: Type.Union(
      [Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { maxItems: 250, uniqueItems: true }), Type.Null()],
      {
        description: 'The countries that messages may be sent to, out of those the tier allows; null: all of them.',
      },
    ),
    numberTypes: Type.Array(Type.Enum([...numberTypes]), {
      minItems: 1,
      maxItems: numberTypes.length,
      uniqueItems: true,
      description: 'Kinds of numbers that get messages.',
    }),
    perNumber: perHour('Messages to one number per hour.'),
    perPrefix: perHour('Messages to one block of ten thousand numbers per hour.'),
    perSource: perHour('Messages requested from one source address per hour.'),
    perProject: perHour('Messages of the project in an hour.'),
    conversionSample: Type.Integer({
      minimum: 5,
      maximum: 100_000,
      description: 'How many codes a block must get within a day before its share of entered codes is judged.',
    }),
    conversionPercent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'A block is blocked if less than this percentage of its codes is entered. 0 disables the rule.',
    }),
    blockSeconds: Type.Integer({
      minimum: 60,
      maximum: 30 * 86_400,
      description: 'How long a block stays blocked, in seconds.',
    }),
  },
  {
    title: 'SmsGuardRules',
    additionalProperties: false,
  },
);
export type GuardRules = Static<typeof GuardRules>;

export const GuardChanges = Type.Partial(GuardRules, { additionalProperties: false, minProperties: 1 });

const defaultRules: GuardRules = {
  countries: null,
  numberTypes: ['MOBILE', 'FIXED_LINE_OR_MOBILE', 'PERSONAL_NUMBER'],
  perNumber: 5,
  perPrefix: 60,
  perSource: 20,
  perProject: 2_000,
  conversionSample: 20,
  conversionPercent: 15,
  blockSeconds: 86_400,
};

type GuardsTable = {
  workspace_id: WorkspaceId;
  project_id: ProjectId;
  environment: Environment;
  rules: Json<Partial<GuardRules>>;
  updated_at: Date;
};

declare module '#platform/db.ts' {
  interface Tables {
    sms_guards: GuardsTable;
  }
}

/** The current rules. Served by the primary key. */
export async function guardRules(ctx: Ctx | TxCtx): Promise<GuardRules> {
  const row = await ctx.db.selectFrom('sms_guards').select('rules').where(inScope(ctx)).executeTakeFirst();
  return { ...defaultRules, ...row?.rules };
}

/** Changes the given rules. Effective with the next message. */
export async function changeGuard(ctx: Ctx, changes: Partial<GuardRules>): Promise<GuardRules> {
  return transaction(ctx, async (tx) => {
    const rules = JSON.stringify(changes);
    await tx.db
      .insertInto('sms_guards')
      .values({ ...scopeColumns(tx), rules, updated_at: tx.now })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'project_id', 'environment'])
          .doUpdateSet((eb) => ({ rules: eb('sms_guards.rules', '||', eb.ref('excluded.rules')), updated_at: tx.now })),
      )
      .execute();
    await emit(tx, 'sms.guard.updated', { changed: Object.keys(changes) });
    return guardRules(tx);
  });
}
