import { useEffect, useSyncExternalStore } from 'react';

let title = '';
const listeners = new Set<() => void>();

/**
 * Sets the title of the window and announces the screen. If the focused element was removed, focus moves to the new screen.
 * @param name null: another component sets the title
 */
export function useScreenTitle(name: string | null): void {
  useEffect(() => {
    if (name === null) return;
    document.title = `${name} · Latchkey`;
    if (title !== '' && document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
    title = name;
    for (const listener of listeners) listener();
  }, [name]);
}

/** The title of the current screen. */
export const useShownTitle = (): string => useSyncExternalStore(listen, () => title);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
