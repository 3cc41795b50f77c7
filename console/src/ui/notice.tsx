import { Button, Group, Kbd } from '@mantine/core';
import { useHotkeys, useOs } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { Problem } from '#api/problem.ts';

/** Undoes a change. */
export type Undo = {
  act: () => Promise<unknown>;
  /** The message afterwards. */
  done: string;
};

/** Time to read the notice and reach the button by keyboard, in milliseconds. It stays while the button has focus (WCAG 2.2.1). */
const UNDO_MS = 20_000;
const PROBLEM_MS = 10_000;
const closeButtonProps = { 'aria-label': 'Close' };

/** The latest undoable notice, which the keyboard shortcut undoes. */
let latest = '';

export function notifyDone(message: string): void {
  notifications.show({ message, color: 'green', closeButtonProps });
}

export function notifyProblem({ title, detail }: Pick<Problem, 'title' | 'detail'>): void {
  notifications.show({ title, message: detail, color: 'red', autoClose: PROBLEM_MS, closeButtonProps });
}

/** Notifies that a change is done, and offers Undo. */
export function notifyUndoable(message: string, onUndo: () => Promise<void>): void {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const leave = () => notifications.hide(id);
  const notice = {
    id,
    // Not an error, so screen readers are not interrupted.
    role: 'status',
    color: 'green',
    message: <Undoable id={id} message={message} onUndo={() => onUndo().finally(leave)} />,
    closeButtonProps,
  };
  latest = id;
  notifications.show({
    ...notice,
    autoClose: UNDO_MS,
    onFocusCapture: () => notifications.update({ ...notice, autoClose: false }),
    onBlurCapture: () => notifications.update({ ...notice, autoClose: UNDO_MS }),
  });
}

type UndoableProps = { id: string; message: string; onUndo: () => Promise<void> };

function Undoable({ id, message, onUndo }: UndoableProps) {
  const [busy, setBusy] = useState(false);
  const os = useOs();
  const undo = () => {
    if (busy) return;
    setBusy(true);
    onUndo().catch(() => undefined);
  };
  useHotkeys([['mod+Z', () => latest === id && undo()]]);
  return (
    <Group justify="space-between" gap="sm" wrap="nowrap">
      <span>{message}</span>
      <Button
        variant="default"
        size="compact-sm"
        flex="none"
        loading={busy}
        onClick={undo}
        aria-keyshortcuts="Control+Z Meta+Z"
        rightSection={
          <Kbd size="xs" visibleFrom="xs">
            {os === 'macos' || os === 'ios' ? '⌘Z' : 'Ctrl Z'}
          </Kbd>
        }
      >
        Undo
      </Button>
    </Group>
  );
}
