import { Select } from '@mantine/core';
import type { StatusTemplate } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { pages, params, useWhole } from '#api/whole.ts';

type TemplateChoiceProps = { kind: StatusTemplate['kind']; onChoose: (template: StatusTemplate) => void };

/** Fills a form with a template. Not shown while there is none. */
export function TemplateChoice({ kind, onChoose }: TemplateChoiceProps) {
  const { data = [] } = useWhole<StatusTemplate>(
    useApi().useInfiniteQuery(
      'get',
      '/console/v1/status/templates',
      { params: { query: { ...params.query, kind } } },
      pages,
    ),
  );
  if (data.length === 0) return null;
  return (
    <Select
      searchable
      label="Template"
      placeholder="None"
      description="Replaces what is written below."
      data={data.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const template = data.find((one) => one.id === id);
        if (template) onChoose(template);
      }}
    />
  );
}
