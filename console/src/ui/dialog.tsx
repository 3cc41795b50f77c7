import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '#api/problem.ts';
import { useFocusBack } from './focus.ts';

type DialogProps = {
  title: string;
  size?: 'lg';
  onClose: () => void;
  /** Can be closed only by its buttons. */
  held?: boolean;
  children: ReactNode;
};

/** A dialog with a title. */
export function Dialog({ title, size, onClose, held = false, children }: DialogProps) {
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      size={size}
      title={<Text fw={600}>{title}</Text>}
      withCloseButton={!held}
      closeOnClickOutside={!held}
      closeOnEscape={!held}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="md">{children}</Stack>
    </Modal>
  );
}

/** The buttons at the end of a dialog. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="xs">
      {children}
    </Group>
  );
}

type FormDialogProps = {
  title: string;
  /** The label of the confirm button. */
  action: string;
  danger?: boolean;
  /** Focuses the button first, because there are no inputs. */
  focusAction?: boolean;
  ready?: boolean;
  busy?: boolean;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ReactNode;
};

/** A form in a dialog, with Cancel and submit buttons. */
export function FormDialog({ title, action, onSubmit, onClose, children, ...button }: FormDialogProps) {
  const { danger = false, focusAction = false, ready = true, busy = false } = button;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {children}
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={busy}
              disabled={!ready}
              color={danger ? 'red.8' : 'blue'}
              data-autofocus={focusAction || undefined}
            >
              {action}
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/**
 * Keeps the field errors that the server returns for a new record.
 * @param fallback the field for errors that name none; without one they are shown in a notification
 */
export function useFaults(fallback?: string) {
  const [faults, setFaults] = useState<Record<string, string>>({});
  const onProblem = ({ fields, detail }: Problem): boolean => {
    const named = Object.keys(fields).length > 0;
    setFaults(named || fallback === undefined ? fields : { [fallback]: detail });
    return named || fallback !== undefined;
  };
  return { faults, onProblem };
}
