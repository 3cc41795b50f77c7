import { useEffect, useSyncExternalStore } from 'react';

let title = '';
const listeners = new Set<() => void>();

/**
 * Says which screen this is: in the window's title, and to whoever hears the page. Where the focus went with the screen before, it
 * moves to the new one. @param name null: another part of the screen says it
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

/** The title of the screen that is shown. */
export const useShownTitle = (): string => useSyncExternalStore(listen, () => title);

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
