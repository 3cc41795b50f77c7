import { VisuallyHidden } from '@mantine/core';
import { useShownTitle } from '#ui/title.ts';

/** Tells who can't see it that another screen is shown; a page that never loads again would be silent about it. */
export function Announcement() {
  return <VisuallyHidden aria-live="polite">{useShownTitle()}</VisuallyHidden>;
}
