import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { problemOf } from '#api/problem.ts';
import type { MessageTemplate } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Card } from '#ui/page.tsx';
import { Loading } from '#ui/states.tsx';
import classes from './messages.module.css';

/** A preview of the unsaved text, rendered by the server code that sends the message. */
export function MessagePreview({ template: { template, locale, ...texts } }: { template: MessageTemplate }) {
  const { subject, body, action } = texts;
  const [draft] = useDebouncedValue({ subject, body, action }, 300);
  const preview = useApi().useQuery(
    'post',
    '/console/v1/settings/messages/{template}/{locale}/preview',
    { params: { path: { template, locale } }, body: draft },
    { placeholderData: (before) => before, retry: false },
  );
  const problem = preview.error ? problemOf(preview.error) : null;
  return (
    <Card title="Preview" about="With sample values." flush>
      {problem && (
        <Alert color="red" m="md" title="This text can’t be sent" role="alert">
          {Object.values(problem.fields)[0] ?? problem.detail}
        </Alert>
      )}
      {preview.data ? (
        <>
          {preview.data.subject && <div className={classes.subject}>{preview.data.subject}</div>}
          {preview.data.html === null ? (
            <pre className={classes.text}>{preview.data.text}</pre>
          ) : (
            <iframe title="Preview of the mail" className={classes.mail} sandbox="" srcDoc={preview.data.html} />
          )}
        </>
      ) : (
        !problem && <Loading />
      )}
    </Card>
  );
}
