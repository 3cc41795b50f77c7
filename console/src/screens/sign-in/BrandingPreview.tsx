import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { nonce } from '#api/nonce.ts';
import type { Settings } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import { Card } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import classes from './branding.module.css';

const WIDTHS = [
  { value: 'wide', label: 'Desktop' },
  { value: 'narrow', label: 'Phone' },
];

type Preview = Pick<Settings, 'branding' | 'signInLayout' | 'defaultLanguage'>;

/** The real sign-in page with what is typed and not yet saved; the server draws it, so it can't differ from the page. */
export function BrandingPreview({ branding, signInLayout, defaultLanguage: locale }: Preview) {
  const [width, setWidth] = useState('wide');
  const [settings] = useDebouncedValue({ branding, signInLayout }, 300);
  const preview = useApi().useQuery(
    'post',
    '/console/v1/settings/sign-in/preview',
    { body: { settings, locale } },
    { placeholderData: (before) => before, retry: false },
  );
  return (
    <Card
      title="Preview"
      flush
      actions={<SegmentedControl data={WIDTHS} value={width} onChange={setWidth} aria-label="Width of the preview" />}
    >
      <Loaded query={preview}>
        {({ document }) => (
          <div className={classes.stage}>
            <iframe
              title="Preview of the sign-in page"
              className={classes.frame}
              data-width={width}
              sandbox=""
              srcDoc={asPicture(document)}
            />
          </div>
        )}
      </Loaded>
    </Card>
  );
}

/** Its one style counts only with the nonce of the page around the frame; scripts don't run in it and focus stays here. */
function asPicture(document: string): string {
  return document
    .replaceAll(/<script\b[^>]*>[\s\S]*?<\/script>/g, '')
    .replaceAll(/\sautofocus(="")?/g, '')
    .replaceAll(/nonce="[^"]*"/g, `nonce="${nonce}"`);
}
