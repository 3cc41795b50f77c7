import { Button, Text, Textarea, TextInput } from '@mantine/core';
import type { MessageTemplate } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { useAction } from '#ui/action.ts';
import { Badge, sentence } from '#ui/badge.tsx';
import { ChoiceFilter } from '#ui/filters.tsx';
import { Fields, RecordFields, useRecordForm } from '#ui/form.tsx';
import { Card, Columns, Page } from '#ui/page.tsx';
import { useFilters, useIdInAddress } from '#ui/search.ts';
import { Failure, Loaded } from '#ui/states.tsx';
import { languages } from './languages.ts';
import { MessagePreview } from './MessagePreview.tsx';

export function Template() {
  const at = useAt();
  const name = useIdInAddress('template');
  const [filters] = useFilters();
  const locale = languages.find(({ value }) => value === filters['locale'])?.value ?? 'en';
  const templates = useApi().useQuery('get', '/console/v1/settings/messages', {
    params: { query: { locale, limit: 100 } },
  });
  return (
    <Page
      title={sentence(name)}
      back={{ to: at('/messages'), label: 'Messages' }}
      actions={<ChoiceFilter name="locale" label="Language" choices={languages} otherwise="en" />}
    >
      <Loaded query={templates}>
        {({ items }) => {
          const template = items.find((item) => item.template === name);
          return template ? <Message key={locale} template={template} /> : <Missing />;
        }}
      </Loaded>
    </Page>
  );
}

/** Loaded separately from the list, because only a single record has a version for `If-Match`. */
function Message({ template: { template, locale } }: Pick<EditorProps, 'template'>) {
  const message = useApi().useQuery('get', '/console/v1/settings/messages/{template}/{locale}', {
    params: { path: { template, locale } },
  });
  return <Loaded query={message}>{(record) => <Editor template={record} reread={message.refetch} />}</Loaded>;
}

function Missing() {
  return (
    <Failure
      problem={{
        status: 404,
        errorCode: 'NOT_FOUND',
        title: '',
        detail: '',
        traceId: null,
        requiredPermission: null,
        fields: {},
      }}
    />
  );
}

type EditorProps = { template: MessageTemplate; reread: () => Promise<{ data?: MessageTemplate }> };

function Editor({ template: record, reread }: EditorProps) {
  const canWrite = useCan('settings:write');
  const replace = useApi().useMutation('put', '/console/v1/settings/messages/{template}/{locale}');
  const { template, locale } = record;
  const form = useRecordForm<MessageTemplate>({
    record,
    path: `/console/v1/settings/messages/${template}/${locale}`,
    save: {
      isPending: replace.isPending,
      mutateAsync: ({ changes, headers }) => {
        const { subject, body, action } = { ...record, ...changes };
        return replace.mutateAsync({
          params: { path: { template, locale } },
          body: { subject, body, action },
          headers,
        });
      },
    },
    reread,
    done: 'Message saved',
  });
  const { values } = form;
  const isMail = record.channel === 'email';
  return (
    <RecordFields form={form}>
      <Columns>
        <Card
          title="Text"
          actions={
            <>
              {values.custom ? <Badge tone="info">Custom</Badge> : <Badge>Built in</Badge>}
              {values.custom && canWrite && <BackToBuiltIn template={record} onDone={() => window.location.reload()} />}
            </>
          }
        >
          <Fields canWrite={canWrite}>
            {isMail && <TextInput label="Subject" {...form.text('subject')} />}
            <Textarea label="Text" minRows={6} {...form.text('body')} />
            {isMail && <TextInput label="Button text" {...form.text('action')} />}
            <Text size="xs" c="var(--lk-quiet)">
              What fills in: {record.variables.map((variable) => `{${variable}}`).join(', ') || 'nothing'}. ICU
              MessageFormat.
            </Text>
          </Fields>
        </Card>
        <MessagePreview template={values} />
      </Columns>
    </RecordFields>
  );
}

function BackToBuiltIn({ template: { template, locale }, onDone }: { template: MessageTemplate; onDone: () => void }) {
  const remove = useAction(useApi().useMutation('delete', '/console/v1/settings/messages/{template}/{locale}'));
  const onClick = async () => {
    const question = {
      title: 'Restore the built-in text?',
      body: 'Your custom text will be deleted.',
      action: 'Restore',
      danger: true,
    };
    const removed = await remove.run(
      { params: { path: { template, locale } } },
      { done: 'Built-in text restored', question },
    );
    if (removed !== null) onDone();
  };
  return (
    <Button variant="default" size="compact-sm" loading={remove.busy} onClick={onClick}>
      Built-in text
    </Button>
  );
}
