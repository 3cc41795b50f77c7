import { ActionIcon, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAction } from '#ui/action.ts';
import { DownIcon, UpIcon } from '#ui/icons.ts';
import { moved } from './order.ts';

type Placed = { id: string; position: number; name: string };

type MoveButtonsProps = {
  item: Placed;
  /** All items of the list, in order. */
  among: readonly Placed[];
  place: (item: { id: string; position: number }) => Promise<unknown>;
};

/** Moves an item up or down in its list. */
export function MoveButtons({ item: { id, name }, among, place }: MoveButtonsProps) {
  const order = useAction({
    isPending: false,
    mutateAsync: (items: { id: string; position: number }[]) => Promise.all(items.map(place)),
  });
  const move = (step: -1 | 1) => {
    const { to, from } = moved(among, id, step);
    return order.run(to, {
      done: `${name} moved ${step < 0 ? 'up' : 'down'}`,
      change: 'Change the order',
      undo: { act: () => Promise.all(from.map(place)), done: 'Move undone' },
    });
  };
  return (
    <Group gap={2} wrap="nowrap" justify="flex-end" data-above>
      <Move label={`Move ${name} up`} disabled={among[0]?.id === id} onMove={() => move(-1)}>
        <UpIcon size={16} />
      </Move>
      <Move label={`Move ${name} down`} disabled={among.at(-1)?.id === id} onMove={() => move(1)}>
        <DownIcon size={16} />
      </Move>
    </Group>
  );
}

type MoveProps = { label: string; disabled: boolean; onMove: () => unknown; children: ReactNode };

function Move({ label, disabled, onMove, children }: MoveProps) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      bg={disabled ? 'transparent' : undefined}
      disabled={disabled}
      aria-label={label}
      onClick={onMove}
    >
      {children}
    </ActionIcon>
  );
}
