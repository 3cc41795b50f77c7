import { Checkbox, Input, TextInput } from '@mantine/core';
import { useId, useState } from 'react';
import type { EventType } from '#api/records.ts';
import { SearchIcon } from '#ui/icons.ts';
import { Empty, Loaded } from '#ui/states.tsx';
import { ALL, type Group, groupsOf, isWhole, selects, withGroup, withType } from './event-selection.ts';
import classes from './event-tree.module.css';
import { useCatalogue } from './eventTypes.ts';

type Props = { value: readonly string[]; error?: string | undefined; onChange: (patterns: string[]) => void };

/** The event types by noun, to select all, groups or single ones. */
export function EventTree({ error, ...selection }: Props) {
  const id = useId();
  const catalogue = useCatalogue();
  return (
    <Input.Wrapper
      label="Events"
      description="A group includes the types that later versions add to it."
      error={error}
      labelElement="div"
      labelProps={{ id }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would not be named by the label */}
      <div role="group" aria-labelledby={id} className={classes.tree}>
        <Loaded query={catalogue}>{(types) => <Tree types={types} {...selection} />}</Loaded>
      </div>
    </Input.Wrapper>
  );
}

type TreeProps = Omit<Props, 'error'> & { types: readonly EventType[] };

function Tree({ types, value, onChange }: TreeProps) {
  const [q, setQ] = useState('');
  const groups = groupsOf(types.map(({ type }) => type));
  const wanted = q.trim().toLowerCase();
  const found = new Set(
    types
      .filter(({ type, description }) => `${type} ${description}`.toLowerCase().includes(wanted))
      .map(({ type }) => type),
  );
  const shown = groups.filter((group) => group.types.some((type) => found.has(type)));
  const count = types.filter(({ type }) => selects(value, type)).length;
  const describe = new Map(types.map(({ type, description }) => [type, description]));
  return (
    <>
      <TextInput
        size="xs"
        type="search"
        aria-label="Find an event type"
        placeholder="Find an event type"
        leftSection={<SearchIcon size={14} aria-hidden />}
        value={q}
        onChange={({ currentTarget }) => setQ(currentTarget.value)}
        // Enter would send the form.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <ul className={classes.list}>
        {wanted === '' && (
          <li className={classes.line}>
            <Checkbox
              size="xs"
              label="All events"
              checked={value.includes(ALL)}
              indeterminate={!value.includes(ALL) && count > 0}
              onChange={() => onChange(value.includes(ALL) ? [] : [ALL])}
            />
            <span className={classes.count}>{`${count} of ${types.length}`}</span>
          </li>
        )}
        {shown.map((group) => (
          <li key={group.noun}>
            <GroupOf
              group={group}
              patterns={value}
              types={group.types.filter((type) => found.has(type))}
              open={wanted !== ''}
              describe={describe}
              onGroup={() => onChange(withGroup(value, group, groups))}
              onType={(type) => onChange(withType(value, type, groups))}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <Empty title="No matching event types" />}
    </>
  );
}

type GroupProps = {
  group: Group;
  patterns: readonly string[];
  /** Those that are shown. */
  types: readonly string[];
  open: boolean;
  describe: ReadonlyMap<string, string>;
  onGroup: () => void;
  onType: (type: string) => void;
};

function GroupOf({ group, patterns, types, open, describe, onGroup, onType }: GroupProps) {
  const count = group.types.filter((type) => selects(patterns, type)).length;
  const whole = isWhole(patterns, group);
  return (
    <div className={classes.group}>
      <Checkbox
        size="xs"
        className={classes.whole}
        aria-label={group.pattern}
        checked={whole}
        indeterminate={!whole && count > 0}
        onChange={onGroup}
      />
      {/* The key opens and closes it with the search; in between the person does. */}
      <details key={String(open)} open={open}>
        <summary className={classes.line}>
          <code>{group.pattern}</code>
          <span className={classes.count}>{`${count} of ${group.types.length}`}</span>
        </summary>
        <ul className={classes.types}>
          {types.map((type) => (
            <li key={type}>
              <Checkbox
                size="xs"
                label={type}
                description={describe.get(type)}
                checked={selects(patterns, type)}
                onChange={() => onType(type)}
              />
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
