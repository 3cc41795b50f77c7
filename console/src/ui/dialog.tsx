import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { Problem } from '#api/problem.ts';
import { useFocusBack } from './focus.ts';

type DialogProps = {
  title: string;
  size?: 'lg';
  onClose: () => void;
  /** Closes only by the buttons in it. */
  held?: boolean;
  children: ReactNode;
};

/** A titled dialog over the screen. */
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

/** The buttons a dialog ends with. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="xs">
      {children}
    </Group>
  );
}

type FormDialogProps = {
  title: string;
  /** The word on the button: what will happen. */
  action: string;
  danger?: boolean;
  /** What the form begins with is the button, because nothing has to be typed. */
  focusAction?: boolean;
  ready?: boolean;
  busy?: boolean;
  onSubmit: () => unknown;
  onClose: () => void;
  children: ReactNode;
};

/** A form in a dialog: its fields, and the buttons that leave it or carry it out. */
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
 * Keeps what the server finds wrong with single fields of something new.
 * @param fallback the field beside which a fault stands that names none; without one it is told in a notification
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
