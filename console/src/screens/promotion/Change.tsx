import { Checkbox, PasswordInput, Stack, Text } from '@mantine/core';
import type { PromotionChange } from '#api/records.ts';
import { Badge } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { choicesOf } from './choices.ts';
import classes from './promotion.module.css';

type Value = PromotionChange['values'][number];

const ACTIONS = {
  create: { label: 'Added', tone: 'good' },
  change: { label: 'Changed', tone: 'info' },
  remove: { label: 'Removed', tone: 'bad' },
} as const;

/** A record's name for people. */
export const nameOf = ({ title, key }: { title: string; key: string }) => (key === '' ? title : `${title}: ${key}`);

type Props = {
  change: PromotionChange;
  /** The chosen fields. Null: the person may not change anything. */
  chosen: readonly string[] | null;
  onChoose: (fields: readonly string[]) => void;
  /** The values of the secrets that the chosen change needs. */
  secrets: { names: readonly string[]; values: Readonly<Record<string, string>> };
  onSecret: (name: string, value: string) => void;
};

/** One change with its values, of which the fields can be chosen. */
export function Change({ change, chosen, onChoose, secrets, onSecret }: Props) {
  const all = choicesOf(change);
  const { label, tone } = ACTIONS[change.action];
  const hasChoice = all.length > 1;
  const toggle = (field: string) =>
    onChoose(chosen?.includes(field) ? chosen.filter((one) => one !== field) : [...(chosen ?? []), field]);
  return (
    <Card
      title={nameOf(change)}
      about={change.issues ? 'Latchkey makes a new secret for it and shows it once.' : undefined}
      actions={
        <>
          <Badge tone={tone}>{label}</Badge>
          {chosen && (
            <Checkbox
              aria-label={`Choose ${nameOf(change)}`}
              checked={chosen.length === all.length}
              indeterminate={chosen.length > 0 && chosen.length < all.length}
              onChange={() => onChoose(chosen.length === all.length ? [] : all)}
            />
          )}
        </>
      }
    >
      <Stack gap="md">
        {change.values.length === 0 && (
          <Text size="sm" c="var(--lk-quiet)">
            {change.action === 'remove' ? 'The other environment does not have it.' : 'It has no further values.'}
          </Text>
        )}
        {change.values.length > 0 && (
          <div className={classes.values}>
            {change.values.map((value, index) => (
              <div key={value.name} className={classes.value}>
                {chosen && hasChoice && value.field !== change.values[index - 1]?.field ? (
                  <Checkbox
                    label={value.name}
                    aria-label={`Choose ${value.field} of ${nameOf(change)}`}
                    checked={chosen.includes(value.field)}
                    onChange={() => toggle(value.field)}
                  />
                ) : (
                  <span className={classes.name}>{value.name}</span>
                )}
                <Values value={value} isNew={change.action === 'create'} />
              </div>
            ))}
          </div>
        )}
        {secrets.names.map((name) => (
          <PasswordInput
            key={name}
            required
            label={name}
            description="This secret cannot be read from the other environment. Enter the one to use here."
            autoComplete="off"
            maxLength={10_000}
            value={secrets.values[name] ?? ''}
            onChange={({ currentTarget: { value } }) => onSecret(name, value)}
          />
        ))}
      </Stack>
    </Card>
  );
}

function Values({ value: { before, after, secret }, isNew }: { value: Value; isNew: boolean }) {
  if (secret) return <span className={classes.none}>Secret, not shown</span>;
  return (
    <>
      {!isNew && <Side side="before" json={before} />}
      <Side side="after" json={after} />
    </>
  );
}

function Side({ side, json }: { side: 'before' | 'after'; json: string | null }) {
  if (json === null) return <span className={classes.none}>None</span>;
  const Tag = side === 'before' ? 'del' : 'ins';
  return (
    <Tag className={classes.text} data-side={side}>
      {shown(JSON.parse(json))}
    </Tag>
  );
}

/** A value as people read it: texts as they are, lists of texts one below the other. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join('\n') || '(empty)';
  return JSON.stringify(value, null, 2);
}
