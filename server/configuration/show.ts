import type { Kind } from './kind.ts';
import { isValues, type Plain, type Values } from './plain.ts';
import { type Difference, nameOf, type Plan, printable, type Step } from './plan.ts';
import { isSecret, refers } from './secrets.ts';

const MAX_SHOWN = 120;
const SIGNS = { create: '+', change: '~', remove: '-' } as const;

/** A plan as text for people, or as JSON. Values of secrets never appear. */
export function shownPlan(plan: Plan, json: boolean): string {
  return json ? `${JSON.stringify(planData(plan))}\n` : planText(plan);
}

/** A plan as text for people. */
function planText({ steps, unread, surplus, missing }: Plan): string {
  const blocks = steps.map(stepText);
  const notes = [
    ...surplus.map(
      ({ kind, keys }) => `Only in the project, removed with --prune: ${kind.name} ${keys.map(printable).join(', ')}`,
    ),
    ...missing.map((text) => `No value yet: ${text}`),
    ...unread.map(({ kind, reason }) => `Not compared: ${kind.name}, because ${reason}`),
  ];
  const count = (action: Step['action']) => steps.filter((step) => step.action === action).length;
  const total =
    steps.length === 0
      ? `No changes${unread.length > 0 ? ' in what was compared' : ''}.`
      : `${count('create')} to create, ${count('change')} to change, ${count('remove')} to remove.`;
  return `${[...blocks, ...(notes.length > 0 ? [notes.join('\n')] : []), total].join('\n\n')}\n`;
}

/** One change as text, such as `~ roles editor` with its fields below. */
function stepText(step: Step): string {
  const head = `${SIGNS[step.action]} ${nameOf(step.kind, step.key)}`;
  if (step.action === 'remove') return head;
  if (step.action === 'change') return [head, ...step.differences.flatMap((one) => linesOf(step.kind, one))].join('\n');
  const { written } = step.wanted;
  const names = Object.keys(written).filter((name) => !step.kind.key.includes(name));
  const width = Math.max(0, ...names.map((name) => name.length));
  return [head, ...names.map((name) => `    ${printable(name.padEnd(width))}  ${shown(written[name] ?? null)}`)].join(
    '\n',
  );
}

function linesOf(kind: Kind, { field, before, after }: Difference): string[] {
  if (isSecret(kind, [field])) return [`    ${field}: ${shown(after)} (secret)`];
  if (isValues(before) && isValues(after)) return innerLines(kind, field, { before, after });
  if (isTexts(before) && isTexts(after)) {
    const added = after.filter((one) => !before.includes(one)).map((one) => `+${shown(one)}`);
    const removed = before.filter((one) => !after.includes(one)).map((one) => `-${shown(one)}`);
    if (added.length + removed.length > 0) return [`    ${field}: ${[...added, ...removed].join(' ')}`];
  }
  // What is behind a reference is not printed.
  const hidden = typeof after === 'string' && refers(after);
  return [`    ${field}: ${hidden ? '(other value)' : shown(before)} → ${shown(after)}`];
}

function innerLines(kind: Kind, field: string, { before, after }: { before: Values; after: Values }): string[] {
  const merged = kind.merged?.includes(field) === true;
  const names = [...new Set([...(merged ? [] : Object.keys(before)), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [from, to] = [before[name] ?? null, after[name] ?? null];
    if (JSON.stringify(from) === JSON.stringify(to)) return [];
    return linesOf(kind, { field: `${field}.${name}`, before: from, after: to });
  });
}

function isTexts(value: Plain): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A value on one line, shortened if it is long. */
function shown(value: Plain): string {
  const text = printable(JSON.stringify(value));
  const signs = [...text];
  return signs.length <= MAX_SHOWN ? text : `${signs.slice(0, MAX_SHOWN).join('')}… (${signs.length} characters)`;
}

/** A plan as data. */
function planData({ steps, unread, surplus, missing }: Plan) {
  return {
    changes: steps.map((step) => ({
      action: step.action,
      kind: step.kind.name,
      key: step.key,
      ...(step.action === 'create' && { fields: step.wanted.written }),
      ...(step.action === 'change' && { differences: step.differences }),
    })),
    onlyInProject: surplus.map(({ kind, keys }) => ({ kind: kind.name, keys })),
    notCompared: unread.map(({ kind, reason }) => ({ kind: kind.name, reason })),
    missing,
  };
}
