import { Text, TextInput } from '@mantine/core';
import { createContext, type ReactNode, use, useCallback, useState } from 'react';
import { FormDialog } from './dialog.tsx';

/** What a person is asked before something happens. */
export type Question = {
  title: string;
  body?: ReactNode;
  /** The word on the button: what will happen. */
  action: string;
  danger?: boolean;
  /** Has to be typed first; for what can't be undone. */
  typeName?: string;
};

type Ask = (question: Question) => Promise<boolean>;

const AskContext = createContext<Ask>(() => Promise.resolve(false));

/** Asks one question at a time, in a dialog. @returns whether the person agreed */
export const useAsk = (): Ask => use(AskContext);

type Open = { question: Question; answer: (agreed: boolean) => void };

export function AskProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open | null>(null);
  const ask = useCallback<Ask>((question) => new Promise((answer) => setOpen({ question, answer })), []);
  const finish = (agreed: boolean) => {
    open?.answer(agreed);
    setOpen(null);
  };
  return (
    <AskContext value={ask}>
      {children}
      {open && <QuestionDialog question={open.question} onAnswer={finish} />}
    </AskContext>
  );
}

function QuestionDialog({ question, onAnswer }: { question: Question; onAnswer: (agreed: boolean) => void }) {
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
      onSubmit={() => onAnswer(true)}
      onClose={() => onAnswer(false)}
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
