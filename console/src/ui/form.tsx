import { Button, Group, Table, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { headersOf } from '#api/client.ts';
import { useScope } from '#api/scope.tsx';
import { etagOf } from '#api/transport.ts';
import { useAction } from './action.ts';
import { useAsk } from './ask.tsx';
import { type Conflict, changed, conflictsOf, opposite } from './changes.ts';
import { Dialog, DialogButtons } from './dialog.tsx';
import classes from './form.module.css';
import type { Undo } from './notice.tsx';
import { Card } from './page.tsx';

type Save<T> = {
  mutateAsync: (init: { changes: Partial<T>; headers: Record<string, string> }) => Promise<T>;
  isPending: boolean;
};

type TextName<T> = { [K in keyof T & string]: T[K] extends string ? K : never }[keyof T & string];

export type RecordForm<T> = {
  values: T;
  set: (changes: Partial<T>) => void;
  /** The props of a text field of the record. */
  text: (name: TextName<T>) => {
    value: string;
    error: string | undefined;
    onChange: (event: { currentTarget: { value: string } }) => void;
  };
  /** The server's error for a field. */
  errors: Partial<Record<keyof T & string, string>>;
  /** The server's error for a field inside a field, such as `saml.entityId`. */
  errorIn: (name: `${keyof T & string}.${string}`) => string | undefined;
  dirty: readonly string[];
  reset: () => void;
  submit: () => Promise<void>;
  busy: boolean;
  conflicts: readonly Conflict[] | null;
  keepMine: () => void;
  takeTheirs: () => void;
};

type Options<T> = {
  record: T;
  /** The record's path; its version is sent with a change (`If-Match`). */
  path: string;
  save: Save<T>;
  /** Reloads the record after someone else changed it. */
  reread: () => Promise<{ data?: T | undefined }>;
  done: string;
  /** The message after an undo, if restoring the old values undoes the change. */
  undone?: string;
};

type State<T> = { base: T; version: string | undefined; mine: Partial<T>; errors: Readonly<Record<string, string>> };

/**
 * Edits a record. Only changed fields are sent, and only for the loaded version. If someone else saved first, the person decides;
 * nothing is overwritten automatically.
 */
export function useRecordForm<T extends object>(options: Options<T>): RecordForm<T> {
  const { record, path, save, reread, done, undone } = options;
  const version = useVersion(path);
  const begin = (base: T): State<T> => ({ base, version: version(), mine: {}, errors: {} });
  const [state, setState] = useState(() => begin(record));
  const [theirs, setTheirs] = useState<T | null>(null);
  const action = useAction(save);
  const dirty = changed(state.base, state.mine);
  // A reloaded record replaces the form's values while nothing is changed.
  if (dirty.length === 0 && state.base !== record) setState(begin(record));

  /** Restores the old values, unless the record has changed again. */
  const undoOf = (now: T): Undo | null => {
    const old = undone === undefined ? null : opposite(state.base, now, dirty);
    const headers = versionHeader(version());
    return old && undone !== undefined
      ? { done: undone, act: () => save.mutateAsync({ changes: old, headers }) }
      : null;
  };
  const send = async (onto: string | undefined) => {
    const changes = Object.fromEntries(dirty.map((name) => [name, Reflect.get(state.mine, name)]));
    const conflict = async () => setTheirs((await reread()).data ?? null);
    // biome-ignore lint/nursery/noUnsafeTypeAssertion: the names and values come from a Partial<T>
    const mine = changes as Partial<T>;
    const headers = versionHeader(onto);
    const saved = await action.run(
      { changes: mine, headers },
      {
        done,
        undo: (now) => undoOf(now),
        onProblem: (problem) => {
          if (problem.status === 412) conflict().catch(() => undefined);
          else setState((now) => ({ ...now, errors: problem.fields }));
          return problem.status === 412;
        },
      },
    );
    if (saved) setState(begin(saved));
  };
  const values = { ...state.base, ...state.mine };
  const set = (changes: Partial<T>) => setState((now) => ({ ...now, mine: { ...now.mine, ...changes } }));
  return {
    values,
    set,
    text: (name) => ({
      value: String(Reflect.get(values, name)),
      error: state.errors[name],
      // biome-ignore lint/nursery/noUnsafeTypeAssertion: the name is that of a text of T
      onChange: ({ currentTarget: { value } }) => set({ [name]: value } as Partial<T>),
    }),
    // biome-ignore lint/nursery/noUnsafeTypeAssertion: the server names the record's own fields
    errors: state.errors as RecordForm<T>['errors'],
    errorIn: (name) => state.errors[name],
    dirty,
    reset: () => setState(begin(record)),
    submit: () => send(state.version),
    busy: action.busy,
    conflicts: theirs && conflictsOf(state.base, state.mine, theirs),
    keepMine: () => {
      if (!theirs) return;
      setState((now) => ({ ...now, base: theirs, version: version() }));
      setTheirs(null);
    },
    takeTheirs: () => {
      if (theirs) setState(begin(theirs));
      setTheirs(null);
    },
  };
}

/** Returns the version of the record at a path that was read last. */
function useVersion(path: string): () => string | undefined {
  const scope = headersOf(useScope());
  return () => etagOf(scope, path);
}

function versionHeader(version: string | undefined): Record<string, string> {
  return version ? { 'If-Match': version } : {};
}

/** The fields of a record, the save bar, and the conflict dialog. */
export function RecordFields<T extends object>({ form, children }: { form: RecordForm<T>; children: ReactNode }) {
  const ask = useAsk();
  const isDirty = form.dirty.length > 0;
  useBlocker({
    shouldBlockFn: async () =>
      isDirty &&
      !(await ask({
        title: 'Leave without saving?',
        body: 'Your changes will be lost.',
        action: 'Leave',
        danger: true,
      })),
    enableBeforeUnload: isDirty,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    form.submit().catch(() => undefined);
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      {children}
      {isDirty && (
        <section className={classes.bar} aria-label="Unsaved changes">
          <Text size="sm">{form.dirty.length === 1 ? '1 unsaved change' : `${form.dirty.length} unsaved changes`}</Text>
          <Group gap="xs">
            <Button variant="default" onClick={form.reset}>
              Discard
            </Button>
            <Button type="submit" loading={form.busy}>
              Save
            </Button>
          </Group>
        </section>
      )}
      {form.conflicts && <ConflictDialog form={form} conflicts={form.conflicts} />}
    </form>
  );
}

/** A column of fields; read-only without the permission to change them. */
export function Fields({ canWrite, children }: { canWrite: boolean; children: ReactNode }) {
  return (
    <fieldset className={classes.fields} disabled={!canWrite}>
      {children}
    </fieldset>
  );
}

/** The server's error for several fields together. */
export function FieldsFault({ children }: { children: string | undefined }) {
  return children === undefined ? null : (
    <Text size="sm" c="var(--lk-bad)" role="alert">
      {children}
    </Text>
  );
}

type SettingsCardProps<T> = {
  title: string;
  about?: string;
  form: RecordForm<T>;
  canWrite: boolean;
  children: ReactNode;
};

/** A record's fields in one card. */
export function SettingsCard<T extends object>({ form, canWrite, children, ...head }: SettingsCardProps<T>) {
  return (
    <RecordFields form={form}>
      <Card split {...head}>
        <Fields canWrite={canWrite}>{children}</Fields>
      </Card>
    </RecordFields>
  );
}

type ConflictProps = { form: Pick<RecordForm<object>, 'keepMine' | 'takeTheirs'>; conflicts: readonly Conflict[] };

function ConflictDialog({ form, conflicts }: ConflictProps) {
  return (
    <Dialog title="Someone else changed this record" size="lg" onClose={form.keepMine}>
      <Text size="sm">
        Your changes were not saved. Keep your changes on top of the new version, or use the new version.
      </Text>
      {conflicts.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Field</Table.Th>
              <Table.Th>Theirs</Table.Th>
              <Table.Th>Yours</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {conflicts.map(({ field, theirs, mine }) => (
              <Table.Tr key={field}>
                <Table.Td>{field}</Table.Td>
                <Table.Td>{theirs}</Table.Td>
                <Table.Td>{mine}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <DialogButtons>
        <Button variant="default" onClick={form.takeTheirs}>
          Use theirs
        </Button>
        <Button onClick={form.keepMine} data-autofocus>
          Keep mine
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
