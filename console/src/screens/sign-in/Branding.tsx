import { NumberInput, Textarea } from '@mantine/core';
import type { Settings } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { Fields, RecordFields } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useSettingsForm } from '#ui/settings.ts';
import { Loaded } from '#ui/states.tsx';
import { BrandingLinks } from './BrandingLinks.tsx';
import { BrandingPreview } from './BrandingPreview.tsx';
import classes from './branding.module.css';
import { LookFields } from './LookFields.tsx';

type Branding = Settings['branding'];

export function Branding() {
  const settings = useApi().useQuery('get', '/console/v1/settings');
  return (
    <Page
      title="Branding"
      about="The look of the sign-in, sign-up and account pages. Colours with too little contrast are adjusted."
    >
      <Loaded query={settings}>{(record) => <Editor settings={record} />}</Loaded>
    </Page>
  );
}

function Editor({ settings }: { settings: Settings }) {
  const form = useSettingsForm(settings);
  const canWrite = useCan('settings:write');
  const { branding, signInLayout, defaultLanguage } = form.values;
  const set = (changes: Partial<Branding>) => form.set({ branding: { ...branding, ...changes } });
  return (
    <RecordFields form={form}>
      <div className={classes.editor}>
        <Card>
          <Fields canWrite={canWrite}>
            <LookFields
              look={branding}
              errors={{ logoUrl: form.errors.branding }}
              fallback="Latchkey default"
              onChange={set}
            />
            <NumberInput
              label="Corner radius"
              min={0}
              max={24}
              suffix=" px"
              value={branding.radius ?? ''}
              onChange={(value) => set({ radius: value === '' ? null : Number(value) })}
            />
            <Textarea
              label="Footer text"
              maxLength={500}
              value={branding.text ?? ''}
              onChange={({ currentTarget: { value } }) => set({ text: value || null })}
            />
            <BrandingLinks links={branding.links} onChange={(links) => set({ links })} />
          </Fields>
        </Card>
        <BrandingPreview branding={branding} signInLayout={signInLayout} defaultLanguage={defaultLanguage} />
      </div>
    </RecordFields>
  );
}
