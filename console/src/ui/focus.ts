import { useEffect, useState } from 'react';

/**
 * Gives the focus back to what opened a dialog when that is gone. Mantine does so only for a dialog that stays in the page while it
 * is closed (WCAG 2.4.3).
 */
export function useFocusBack(): void {
  const [opener] = useState(openerOfDialog);
  useEffect(
    () => () => {
      if (opener?.isConnected) opener.focus({ preventScroll: true });
    },
    [opener],
  );
}

/** What has the focus; of an item of a menu, which closes, the button of the menu. */
function openerOfDialog(): HTMLElement | null {
  const { activeElement } = document;
  const menu = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : activeElement;
  return opener instanceof HTMLElement ? opener : null;
}
