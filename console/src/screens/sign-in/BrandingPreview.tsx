import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { Settings } from '#api/records.ts';
import { useScope } from '#api/scope.tsx';
import { Card } from '#ui/page.tsx';
import classes from './branding.module.css';

const WIDTHS = [
  { value: 'wide', label: 'Desktop' },
  { value: 'narrow', label: 'Phone' },
];

type Preview = Pick<Settings, 'branding' | 'signInLayout' | 'defaultLanguage'>;

/** A preview of the sign-in page with unsaved changes, rendered by the server code of the real page. */
export function BrandingPreview({ branding, signInLayout, defaultLanguage: locale }: Preview) {
  const [width, setWidth] = useState('wide');
  const { workspaceId, projectId, environment } = useScope();
  const { logoUrl, accentColor, backgroundColor, radius, text } = branding;
  const scope = { workspaceId: workspaceId ?? '', projectId: projectId ?? '', environment: environment ?? '' };
  // An empty value clears the setting; an omitted one keeps the saved value.
  const look = { logoUrl: logoUrl ?? '', accentColor: accentColor ?? '', backgroundColor: backgroundColor ?? '' };
  const query = new URLSearchParams({ ...scope, ...look, text: text ?? '', locale, signInLayout });
  if (radius !== null) query.set('radius', String(radius));
  const [address] = useDebouncedValue(`/console/v1/branding/preview?${query}`, 300);
  return (
    <Card
      title="Preview"
      flush
      actions={<SegmentedControl data={WIDTHS} value={width} onChange={setWidth} aria-label="Width of the preview" />}
    >
      <div className={classes.stage}>
        <iframe
          title="Preview of the sign-in page"
          className={classes.frame}
          data-width={width}
          sandbox=""
          src={address}
        />
      </div>
    </Card>
  );
}
