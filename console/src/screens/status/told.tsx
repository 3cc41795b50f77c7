import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Notice, NoticePreview } from '#api/records.ts';
import { useApi } from '#api/scope.tsx';
import type { Question } from '#ui/ask.tsx';
import { money } from '../sms/money.ts';
import { channelName } from './channels.ts';

type Asked = Pick<Question, 'title' | 'action'>;

/**
 * Makes the question that is asked before something is published: how many people are told, and the message of each channel.
 */
export function useAnnouncement(): (asked: Asked, notice: Notice) => Promise<Question> {
  const preview = useApi().useMutation('post', '/console/v1/status/preview');
  return async (asked, notice) => {
    const found = await preview.mutateAsync({ body: notice }).catch(() => null);
    return { ...asked, body: <Told preview={found} message={notice.body} /> };
  };
}

/** The question about an update that nobody is told of, because the phase stays the same. */
export function quietly(asked: Asked): Question {
  return { ...asked, body: 'It appears on the status page. Nobody is notified, because the phase stays the same.' };
}

function Told({ preview, message }: { preview: NoticePreview | null; message: string }) {
  if (!preview)
    return (
      <Stack gap="xs">
        <Text size="sm">It appears on the status page, and subscribers are notified.</Text>
        <Text size="sm" c="var(--lk-quiet)" lineClamp={6} style={{ whiteSpace: 'pre-line' }}>
          {message}
        </Text>
      </Stack>
    );
  return (
    <Stack gap="xs">
      <Text size="sm">It appears on the status page, and {peopleOf(preview.count)} notified.</Text>
      {preview.texts !== null && preview.texts.segments > 0 && <Text size="sm">{costOf(preview.texts)}</Text>}
      <Preview messages={preview.messages} />
    </Stack>
  );
}

function peopleOf(count: number): string {
  if (count === 0) return 'nobody is';
  return count === 1 ? '1 subscriber is' : `${count.toLocaleString('en')} subscribers are`;
}

/** What the text messages take of the SMS add-on. */
function costOf({ segments, left, cost, currency }: NonNullable<NoticePreview['texts']>): string {
  const taken = `The text messages take about ${segments.toLocaleString('en')} SMS segments`;
  const priced = currency !== null && cost > 0 ? `, which cost ${money(cost, currency)}` : '';
  if (left === null || left >= segments) return `${taken}${priced}.`;
  return `${taken}${priced}. The period has ${left.toLocaleString('en')} left: the others are not sent.`;
}

/** The message of one channel at a time: first of the one with the most subscribers. */
function Preview({ messages }: Pick<NoticePreview, 'messages'>) {
  const most = messages.toSorted((one, other) => other.count - one.count)[0];
  const [chosen, choose] = useState(most?.channel);
  const message = messages.find(({ channel }) => channel === chosen);
  return (
    <>
      <Select
        label="Preview"
        maw={320}
        allowDeselect={false}
        data={messages.map(({ channel, count }) => ({
          value: channel,
          label: `${channelName(channel)} (${count.toLocaleString('en')})`,
        }))}
        value={chosen ?? null}
        onChange={(value) => choose(messages.find(({ channel }) => channel === value)?.channel ?? chosen)}
      />
      {message && (
        <Text
          component="section"
          size="sm"
          p="sm"
          mah={260}
          tabIndex={0}
          aria-label="Message to subscribers"
          style={{
            overflow: 'auto',
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
            border: '1px solid var(--mantine-color-default-border)',
            borderRadius: 'var(--mantine-radius-md)',
          }}
        >
          {message.subject !== null && <strong>{message.subject}</strong>}
          {message.subject !== null && '\n\n'}
          {message.text}
        </Text>
      )}
    </>
  );
}
