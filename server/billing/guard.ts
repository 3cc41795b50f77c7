import { projectOf } from '#environments';
import { emit } from '#events';
import { type Ctx, type TxCtx, transaction } from '#platform/ctx.ts';
import { type Limit, limitKey, limits } from '#platform/limits.ts';
import { problem, problemWithRetry } from '#platform/problem.ts';
import { sourceOf } from '#platform/source.ts';
import { checkConversion } from './conversions.ts';
import { type GuardRules, guardRules } from './guard-rules.ts';
import { blockOf, countryOf, typeOf } from './numbers.ts';
import { hasSms, requireSms } from './sms.ts';
import { currentSubscription } from './subscription-store.ts';

const HOUR = 3_600;
/** Never reached: this limit only counts, and the project's rules decide. */
const COUNTED = 1_000_000_000;

const counters = limits({
  'sms-source': { points: COUNTED, seconds: HOUR },
  'sms-number': { points: COUNTED, seconds: HOUR },
  'sms-prefix': { points: COUNTED, seconds: HOUR },
  'sms-project': { points: COUNTED, seconds: HOUR },
});

/**
 * Checks whether a message may go to a number: the add-on, countries and kinds of numbers, rates, and whether codes
 * sent to its block are entered. Everything but the add-on is decided by the number and the source, never by an account
 * (AU-6).
 * @param phone E.164
 * @throws Problem ADDON_REQUIRED, PLAN_LIMIT_EXCEEDED, VALIDATION_FAILED for an excluded destination,
 * RATE_LIMIT_EXCEEDED
 */
export async function passSmsGuard(ctx: Ctx, phone: string): Promise<void> {
  const subscription = await requireSms(ctx);
  const rules = await guardRules(ctx);
  if (!(await isTestNumber(ctx, phone))) checkNumber(phone, rules, subscription?.terms.countries ?? null);
  await countVelocity(ctx, phone, rules);
  await checkConversion(ctx, phone, rules);
}

async function isTestNumber(ctx: Ctx, phone: string): Promise<boolean> {
  return ctx.scope.environment === 'test' && (await testNumbers(ctx)).includes(phone);
}

async function testNumbers({ system, scope }: Ctx | TxCtx): Promise<string[]> {
  return (await projectOf(system, scope)).settings.testPhoneNumbers.map(({ phone }) => phone);
}

function checkNumber(phone: string, rules: GuardRules, ofTier: readonly string[] | null): void {
  const fault = faultOf(phone, rules, ofTier);
  if (fault !== null) throw refused(fault);
}

function faultOf(phone: string, rules: GuardRules, ofTier: readonly string[] | null): string | null {
  const country = countryOf(phone);
  const allowed = (list: readonly string[] | null) => list === null || (country !== null && list.includes(country));
  if (!allowed(ofTier) || !allowed(rules.countries))
    return `is in a country where no messages are sent${country === null ? '' : ` (${country})`}`;
  const type = typeOf(phone);
  return rules.numberTypes.some((candidate) => candidate === type) ? null : 'is not a number that gets messages';
}

/** Which numbers get messages that nobody asks for in a request, such as notices, and how many in an hour. */
type Reach = { admits: (phone: string) => boolean; perNumber: number };

/** The present reach; null while the add-on is not active. */
export async function reachOfSms(ctx: Ctx | TxCtx): Promise<Reach | null> {
  if (!(await hasSms(ctx))) return null;
  const subscription = await currentSubscription(ctx);
  const rules = await guardRules(ctx);
  const ofTier = subscription?.terms.countries ?? null;
  const tested = ctx.scope.environment === 'test' ? await testNumbers(ctx) : [];
  return {
    admits: (phone) => tested.includes(phone) || faultOf(phone, rules, ofTier) === null,
    perNumber: rules.perNumber,
  };
}

function refused(message: string) {
  return problem('VALIDATION_FAILED', { extensions: { errors: [{ pointer: '/body/phone', message }] } });
}

type Rule = { name: string; counter: Limit; key: string; most: number; tell: string | null };

async function countVelocity(ctx: Ctx, phone: string, rules: GuardRules): Promise<void> {
  const made = counters(ctx.system);
  const prefix = blockOf(phone);
  const counted: Rule[] = [
    { name: 'source', counter: made['sms-source'], key: sourceOf(ctx.trace), most: rules.perSource, tell: null },
    { name: 'number', counter: made['sms-number'], key: phone, most: rules.perNumber, tell: null },
    { name: 'prefix', counter: made['sms-prefix'], key: prefix, most: rules.perPrefix, tell: prefix },
    { name: 'project', counter: made['sms-project'], key: '', most: rules.perProject, tell: '' },
  ];
  for (const rule of counted) {
    // biome-ignore lint/performance/noAwaitInLoops: a message refused for its source must not count for the number
    await count(ctx, rule);
  }
}

async function count(ctx: Ctx, { name, counter, key, most, tell }: Rule): Promise<void> {
  const { workspaceId, environment, projectId } = ctx.scope;
  const { count: times, retryAfter } = await counter.take(ctx, limitKey(workspaceId, environment, projectId, key));
  if (times <= most) return;
  // Announced once an hour. One person who asks too often raises no alarm.
  if (tell !== null && times === most + 1)
    await transaction(ctx, (tx) =>
      emit(tx, 'sms.guard.tripped', { rule: name, prefix: tell || null, detail: `more than ${most} in an hour` }),
    );
  throw problemWithRetry('RATE_LIMIT_EXCEEDED', retryAfter);
}
