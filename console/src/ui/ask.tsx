import { Text, TextInput } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { FormDialog } from './dialog.tsx';

/** A confirmation. */
export type Question = {
  title: string;
  body?: ReactNode;
  /** The label of the confirm button. */
  action: string;
  danger?: boolean;
  /** The name that must be typed, for irreversible actions. */
  typeName?: string;
};

type Ask = (question: Question) => Promise<boolean>;

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Asks one question at a time in a dialog. @returns whether the person confirmed */
export const useAsk = (): Ask => use(AskContext);

type Open = { question: Question; resolve: (confirmed: boolean) => void };

export function AskProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((resolve) => setOpen({ question, resolve })), []);
  const finish = (confirmed: boolean) => {
    open?.resolve(confirmed);
    setOpen(null);
  };
  return (
    <AskContext value={ask}>
      {children}
      {open && <QuestionDialog question={open.question} onClose={finish} />}
    </AskContext>
  );
}

function QuestionDialog({ question, onClose }: { question: Question; onClose: (confirmed: boolean) => void }) {
  const [typed, setTyped] = useState('');
  const { title, body, action, danger, typeName } = question;
  const ready = typeName === undefined || typed.trim() === typeName;
  return (
    <FormDialog
      title={title}
      action={action}
      danger={danger ?? false}
      ready={ready}
      focusAction={typeName === undefined}
      onSubmit={() => onClose(true)}
      onClose={() => onClose(false)}
    >
      {body && (
        <Text component="div" size="sm">
          {body}
        </Text>
      )}
      {typeName !== undefined && (
        <TextInput
          data-autofocus
          label={
            <>
              Type <b>{typeName}</b> to go on
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </FormDialog>
  );
}
