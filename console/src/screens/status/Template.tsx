import type { StatusTemplate } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { useAt } from '#shell/place.ts';
import { Badge, sentence } from '#ui/badge.tsx';
import { SettingsCard, useRecordForm } from '#ui/form.tsx';
import { Page } from '#ui/page.tsx';
import { RemoveButton } from '#ui/RemoveButton.tsx';
import { useIdInAddress } from '#ui/search.ts';
import { Loaded } from '#ui/states.tsx';
import { TemplateFields } from './TemplateFields.tsx';

export function Template() {
  const id = useIdInAddress();
  const template = useApi().useQuery('get', '/console/v1/status/templates/{id}', { params: { path: { id } } });
  return <Loaded query={template}>{(record) => <Detail template={record} reread={template.refetch} />}</Loaded>;
}

type DetailProps = { template: StatusTemplate; reread: () => Promise<{ data?: StatusTemplate }> };

function Detail({ template, reread }: DetailProps) {
  const at = useAt();
  const api = useApi();
  const canWrite = useCan('status:write');
  const change = api.useMutation('patch', '/console/v1/status/templates/{id}');
  const remove = api.useMutation('delete', '/console/v1/status/templates/{id}');
  const params = { path: { id: template.id } };
  const form = useRecordForm({
    record: template,
    path: `/console/v1/status/templates/${template.id}`,
    save: {
      isPending: change.isPending,
      mutateAsync: ({ changes: { name, title, body, severity, componentIds, durationMinutes }, headers }) =>
        change.mutateAsync({
          params,
          body: { name, title, body, severity, componentIds, durationMinutes },
          headers,
        }),
    },
    reread,
    done: 'Template saved',
    undone: 'Change undone',
  });
  return (
    <Page
      title={template.name}
      back={{ to: at('/status/templates'), label: 'Templates' }}
      beside={<Badge>{sentence(template.kind)}</Badge>}
      actions={
        canWrite && (
          <RemoveButton
            name={template.name}
            body="Incidents and maintenance that were written with it stay as they are."
            mutation={remove}
            init={{ params }}
            back={at('/status/templates')}
          />
        )
      }
    >
      <SettingsCard title="Template" form={form} canWrite={canWrite}>
        <TemplateFields values={form.values} faults={form.errors} onChange={form.set} />
      </SettingsCard>
    </Page>
  );
}
