import { Anchor, Input, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useRef } from 'react';
import type { Settings } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import classes from './branding.module.css';

type Branding = Settings['branding'];

const MAX = 10_000;

/** The style sheet of the pages, with what is wrong in it while it is typed. */
export function StyleSheet({ branding, onChange }: { branding: Branding; onChange: (css: string | null) => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const css = branding.css ?? '';
  const { accentColor, backgroundColor } = branding;
  const [draft] = useDebouncedValue({ css, accentColor, backgroundColor }, 300);
  const checked = useApi().useQuery(
    'post',
    '/console/v1/branding/css/check',
    { body: draft },
    { enabled: draft.css !== '', placeholderData: (before) => before, retry: false },
  );
  const faults = draft.css === '' ? [] : (checked.data?.faults ?? []);
  const goTo = (line: number, column: number) => {
    const at =
      css
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length +
      (line > 1 ? 1 : 0) +
      column -
      1;
    field.current?.focus();
    field.current?.setSelectionRange(at, at);
  };
  return (
    <div>
      <Textarea
        ref={field}
        label="Style sheet (CSS)"
        description="For the parts of the pages that the documentation names. It can hide, move and load nothing."
        classNames={{ input: classes.css }}
        placeholder={'.card { border: 2px solid #d9dde3 }\n.button { border-radius: 0 }'}
        autosize
        minRows={6}
        maxRows={24}
        maxLength={MAX}
        spellCheck={false}
        autoCapitalize="none"
        autoCorrect="off"
        value={css}
        aria-invalid={faults.length > 0}
        aria-describedby="css-faults"
        onChange={({ currentTarget: { value } }) => onChange(value || null)}
      />
      <div id="css-faults" role="status" aria-label="Faults of the style sheet">
        {faults.length > 0 && (
          <ul className={classes.faults}>
            {faults.map(({ line, column, message }) => (
              <li key={`${line}:${column}`}>
                <Anchor component="button" type="button" size="sm" onClick={() => goTo(line, column)}>
                  Line {line}, column {column}
                </Anchor>
                <Input.Error>{message}</Input.Error>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
