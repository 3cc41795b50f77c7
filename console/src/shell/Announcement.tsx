import { VisuallyHidden } from '@mantine/core';
import { useShownTitle } from '#ui/title.ts';

/** Announces a new screen to screen readers, because the page is never reloaded. */
export function Announcement() {
  return <VisuallyHidden aria-live="polite">{useShownTitle()}</VisuallyHidden>;
}
