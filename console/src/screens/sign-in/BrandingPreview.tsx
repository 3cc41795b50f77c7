import { SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Settings } from '#api/records.ts';
import { useScope } from '#api/scope.tsx';
import { Card } from '#ui/page.tsx';
import { Empty } from '#ui/states.tsx';
import classes from './branding.module.css';

type Preview = Pick<Settings, 'branding' | 'signInLayout'>;

/** The real sign-in page with what is typed and not yet saved. The server draws it, so it can't differ from the page. */
export function BrandingPreview({ branding, signInLayout }: Preview) {
  const { workspaceId, projectId, environment } = useScope();
  const [width, setWidth] = useState('wide');
  const { logoUrl, accentColor, backgroundColor, radius, text, links } = branding;
  const parameters = { workspaceId, projectId, environment, signInLayout, logoUrl, accentColor, backgroundColor, text };
  const query = new URLSearchParams(
    Object.entries({ ...parameters, radius: radius?.toString() ?? null, links: JSON.stringify(links) }).flatMap(
      ([name, value]) => (value === null ? [] : [[name, value]]),
    ),
  );
  const [address] = useDebouncedValue(`/console/v1/branding/preview?${query}`, 300);
  const there = useQuery({
    queryKey: ['preview', address],
    queryFn: async () => (await fetch(address)).ok,
    placeholderData: (before) => before,
  });
  return (
    <Card
      title="Preview"
      flush
      actions={
        <SegmentedControl
          data={[
            { value: 'wide', label: 'Desktop' },
            { value: 'narrow', label: 'Phone' },
          ]}
          value={width}
          onChange={setWidth}
          aria-label="Width of the preview"
        />
      }
    >
      {there.data === false ? (
        <Empty title="No preview yet">Save, and open a sign-in page to see it.</Empty>
      ) : (
        <div className={classes.stage}>
          <iframe
            title="Preview of the sign-in page"
            src={address}
            className={classes.frame}
            data-width={width}
            sandbox="allow-same-origin"
          />
        </div>
      )}
    </Card>
  );
}
