import { MultiSelect, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { StatusTemplate } from '#api/records.ts';
import { sentence } from '#ui/badge.tsx';
import { useComponentChoices } from './componentStatus.tsx';
import { severities } from './severities.ts';

export type TemplateValues = Pick<
  StatusTemplate,
  'kind' | 'name' | 'title' | 'body' | 'severity' | 'componentIds' | 'durationMinutes'
>;

type TemplateFieldsProps = {
  values: TemplateValues;
  faults: { readonly [field: string]: ReactNode };
  onChange: (changes: Partial<TemplateValues>) => void;
};

/** What a template holds. */
export function TemplateFields({ values, faults, onChange }: TemplateFieldsProps) {
  const choices = useComponentChoices();
  const maintenance = values.kind === 'maintenance';
  return (
    <>
      <TextInput
        required
        label="Name"
        description="How your team finds it."
        maxLength={100}
        value={values.name}
        error={faults['name']}
        onChange={({ currentTarget: { value } }) => onChange({ name: value })}
      />
      <TextInput
        required
        label="Title"
        maxLength={200}
        value={values.title}
        error={faults['title']}
        onChange={({ currentTarget: { value } }) => onChange({ title: value })}
      />
      <Textarea
        required
        autosize
        minRows={3}
        label="Message"
        description={`Filled in when it is published: {components}, {time}${maintenance ? ', {begins}, {ends}' : ''}`}
        value={values.body}
        error={faults['body']}
        onChange={({ currentTarget: { value } }) => onChange({ body: value })}
      />
      {maintenance ? (
        <NumberInput
          label="Minutes"
          description="How long it is planned for. Sets the end when the start is chosen."
          min={1}
          max={43_200}
          allowDecimal={false}
          value={values.durationMinutes ?? ''}
          error={faults['durationMinutes']}
          onChange={(value) => onChange({ durationMinutes: typeof value === 'number' ? value : null })}
        />
      ) : (
        <Select
          label="Severity"
          allowDeselect={false}
          data={severities.map((value) => ({ value, label: sentence(value) }))}
          value={values.severity}
          onChange={(value) => onChange({ severity: severities.find((known) => known === value) ?? values.severity })}
        />
      )}
      <MultiSelect
        searchable
        label="Components"
        data={choices}
        value={values.componentIds}
        error={faults['componentIds']}
        onChange={(componentIds) => onChange({ componentIds })}
      />
    </>
  );
}
