import { Group, SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { Card } from '#ui/page.tsx';
import classes from './branding.module.css';

const WIDTHS = [
  { value: 'wide', label: 'Desktop' },
  { value: 'narrow', label: 'Phone' },
];

type Props = {
  of: string;
  /** The address of the page that is previewed, which changes while somebody types. */
  address: string;
  actions?: ReactNode;
};

/** A page of the server in a frame that runs no scripts. */
export function PreviewCard({ of, address, actions }: Props) {
  const [width, setWidth] = useState('wide');
  const [shown] = useDebouncedValue(address, 300);
  return (
    <Card
      title="Preview"
      flush
      actions={
        <Group gap="xs">
          {actions}
          <SegmentedControl data={WIDTHS} value={width} onChange={setWidth} aria-label="Width of the preview" />
        </Group>
      }
    >
      <div className={classes.stage}>
        <iframe title={`Preview of ${of}`} className={classes.frame} data-width={width} sandbox="" src={shown} />
      </div>
    </Card>
  );
}
