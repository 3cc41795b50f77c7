import { useLayoutEffect, useState } from 'react';

/**
 * Returns the focus to the element that opened a dialog (WCAG 2.4.3). Mantine does so only for dialogs that stay mounted while
 * they are closed.
 */
export function useFocusBack(): void {
  const [focused] = useState(openerOfDialog);
  useLayoutEffect(() => {
    // A dialog that this one replaces is gone, and has returned the focus to its own opener.
    const opener = focused?.isConnected ? focused : openerOfDialog();
    return () => {
      if (opener?.isConnected) opener.focus({ preventScroll: true });
    };
  }, [focused]);
}

/** The focused element, or the button that opened the menu if a menu item has focus. */
function openerOfDialog(): HTMLElement | null {
  const { activeElement, body } = document;
  const menu = activeElement?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const opener = menu ? document.getElementById(menu) : activeElement;
  return opener instanceof HTMLElement && opener !== body ? opener : null;
}
