import { NativeSelect, NumberInput, Textarea } from '@mantine/core';
import type { BrandingImages, Settings } from '#api/records.ts';
import { useApi, useCan } from '#api/scope.tsx';
import { Fields, RecordFields } from '#ui/form.tsx';
import { Card, Page } from '#ui/page.tsx';
import { useSettingsForm } from '#ui/settings.ts';
import { Loaded } from '#ui/states.tsx';
import { BrandingLinks } from './BrandingLinks.tsx';
import { BrandingPreview } from './BrandingPreview.tsx';
import classes from './branding.module.css';
import { LookFields } from './LookFields.tsx';
import { StyleSheet } from './StyleSheet.tsx';
import { UploadedImages } from './UploadedImages.tsx';

type Branding = Settings['branding'];

export function Branding() {
  const settings = useApi().useQuery('get', '/console/v1/settings');
  const images = useApi().useQuery('get', '/console/v1/branding/images');
  return (
    <Page
      title="Branding"
      about="The look of the sign-in, sign-up and account pages. Colours with too little contrast are adjusted."
    >
      <Loaded query={settings}>
        {(record) => <Loaded query={images}>{(uploaded) => <Editor settings={record} images={uploaded} />}</Loaded>}
      </Loaded>
    </Page>
  );
}

const FONTS = [
  { value: '', label: 'Of the device' },
  { value: 'humanist', label: 'Humanist' },
  { value: 'geometric', label: 'Geometric' },
  { value: 'rounded', label: 'Rounded' },
  { value: 'serif', label: 'Serif' },
  { value: 'slab', label: 'Slab serif' },
  { value: 'monospace', label: 'Monospace' },
] as const;

const IMAGE = '/console/v1/branding/images/{use}';

function Editor({ settings, images }: { settings: Settings; images: BrandingImages }) {
  const put = useApi().useMutation('put', IMAGE);
  const remove = useApi().useMutation('delete', IMAGE);
  const form = useSettingsForm(settings);
  const canWrite = useCan('settings:write');
  const { branding, signInLayout, defaultLanguage } = form.values;
  const set = (changes: Partial<Branding>) => form.set({ branding: { ...branding, ...changes } });
  return (
    <RecordFields form={form}>
      <div className={classes.editor}>
        <Card>
          <Fields canWrite={canWrite}>
            <UploadedImages images={images} canWrite={canWrite} of={{}} put={put} remove={remove} />
            <LookFields
              look={branding}
              errors={{ logoUrl: form.errors.branding }}
              fallback="Latchkey default"
              onChange={set}
            />
            <NativeSelect
              label="Font"
              description="Fonts that people’s devices have; nothing is loaded."
              data={FONTS}
              value={branding.font ?? ''}
              onChange={({ currentTarget: { value } }) =>
                set({ font: FONTS.find((font) => font.value === value)?.value || null })
              }
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
            <StyleSheet branding={branding} onChange={(css) => set({ css })} />
          </Fields>
        </Card>
        <div className={classes.preview}>
          <BrandingPreview
            branding={branding}
            images={images}
            signInLayout={signInLayout}
            defaultLanguage={defaultLanguage}
          />
        </div>
      </div>
    </RecordFields>
  );
}
