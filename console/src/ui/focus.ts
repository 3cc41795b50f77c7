import { useEffect, useState } from 'react';

/**
 * Returns the focus to the element that opened a dialog (WCAG 2.4.3). Mantine does so only for dialogs that stay mounted while
 * they are closed.
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

/** The focused element, or the button that opened the menu if a menu item has focus. */
function openerOfDialog(): HTMLElement | null {
  const { activeElement } = document;
  const menu = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : activeElement;
  return opener instanceof HTMLElement ? opener : null;
}
