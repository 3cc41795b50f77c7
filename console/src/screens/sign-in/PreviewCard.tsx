import { Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { useDebouncedValue, useElementSize, useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useScope } from '#api/scope.tsx';
import { languages } from '#screens/messages/languages.ts';
import { sentence } from '#ui/badge.tsx';
import { Card } from '#ui/page.tsx';
import { Loading } from '#ui/states.tsx';
import classes from './branding.module.css';
import { usePacked } from './packed.ts';
import { PREVIEWS } from './previews.ts';

const WIDTHS = [
  { value: 'wide', label: 'Desktop' },
  { value: 'narrow', label: 'Phone' },
];

const THEMES = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** The width of a page on a desktop; it is shown smaller where there is less room. */
const DESKTOP = 1_100;
const PHONE = 390;
const HEIGHT = 640;

const MESSAGE = 'message:';

type Props = {
  /** Where the server renders previews. */
  path: string;
  /** What is not saved yet. */
  draft: object;
  /** Changes when something was saved that the draft does not hold. */
  version: string;
  /** The templates of the messages that are offered. */
  messages: readonly string[];
  /** The language at first. */
  locale: string;
};

/** Every hosted page and message with unsaved changes, rendered by the server in a frame that runs no scripts. */
export function PreviewCard({ path, draft, version, messages, locale }: Props) {
  const [what, setWhat] = useState<string>('sign-in');
  const [language, setLanguage] = useState(locale);
  const [chosenWidth, setWidth] = useState<string>();
  const isRoomy = useMediaQuery('(min-width: 700px)', true, { getInitialValueInEffect: false });
  const width = chosenWidth ?? (isRoomy ? 'wide' : 'narrow');
  const [theme, setTheme] = useState('light');
  const [shown] = useDebouncedValue(draft, 300);
  const packed = usePacked(shown);
  const { workspaceId, projectId, environment } = useScope();
  const message = what.startsWith(MESSAGE) ? what.slice(MESSAGE.length) : null;
  const groups = [
    ...PREVIEWS.map(({ group, items }) => ({ group, items: [...items] })),
    { group: 'Messages', items: messages.map((name) => ({ value: MESSAGE + name, label: sentence(name) })) },
  ];
  const label = groups
    .flatMap<{ value: string; label: string }>(({ items }) => items)
    .find(({ value }) => value === what)?.label;
  const query = new URLSearchParams({
    ...{ workspaceId: workspaceId ?? '', projectId: projectId ?? '', environment: environment ?? '' },
    ...(message === null ? { page: what } : { message }),
    ...{ locale: language, theme, draft: packed ?? '' },
  });
  return (
    <Card
      title="Preview"
      flush
      actions={
        <Group gap="xs">
          <NativeSelect
            aria-label="What the preview shows"
            data={groups}
            value={what}
            onChange={({ currentTarget: { value } }) => setWhat(value)}
          />
          <NativeSelect
            aria-label="Language of the preview"
            data={languages}
            value={language}
            onChange={({ currentTarget: { value } }) => setLanguage(value)}
          />
          {message === null && (
            <SegmentedControl data={THEMES} value={theme} onChange={setTheme} aria-label="Theme of the preview" />
          )}
          <SegmentedControl data={WIDTHS} value={width} onChange={setWidth} aria-label="Width of the preview" />
        </Group>
      }
    >
      {packed === null ? (
        <Loading />
      ) : (
        <Frame
          key={version}
          title={`Preview: ${label ?? ''}`}
          src={`${path}?${query}`}
          width={width === 'narrow' ? PHONE : DESKTOP}
        />
      )}
    </Card>
  );
}

function Frame({ title, src, width }: { title: string; src: string; width: number }) {
  const { ref, width: room } = useElementSize();
  const scale = room > 0 ? Math.min(1, room / width) : 1;
  return (
    <div ref={ref} className={classes.stage} style={{ height: HEIGHT }}>
      <iframe
        title={title}
        className={classes.frame}
        sandbox=""
        src={src}
        style={{ width, height: HEIGHT / scale, transform: `scale(${scale})` }}
      />
    </div>
  );
}
