import { accountOf, type SignInMethods } from '@latchkey/browser/api';
import { type CSSProperties, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { useAuth, useTexts } from './provider.tsx';
import { directionOf } from './texts.ts';

const DARK = '(prefers-color-scheme: dark)';

function useDark(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const query = matchMedia(DARK);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(DARK).matches,
    () => false,
  );
}

/** What the project allows, with its brand; null until it is known. */
export function useMethods(): { methods: SignInMethods | null; error: unknown } {
  const { auth } = useAuth();
  const [known, setKnown] = useState<{ methods: SignInMethods | null; error: unknown }>({ methods: null, error: null });
  useEffect(() => {
    let isShown = true;
    const show = (next: { methods: SignInMethods | null; error: unknown }) => isShown && setKnown(next);
    accountOf(auth)
      .methods()
      .then(
        (methods) => show({ methods, error: null }),
        (error: unknown) => show({ methods: null, error }),
      );
    return () => {
      isShown = false;
    };
  }, [auth]);
  return known;
}

/** The project's logo, or its dark logo in a dark theme. Shows nothing if the project has no logo. */
export function Logo({ methods: { brand, projectName } }: { methods: SignInMethods }): ReactNode {
  const isDark = useDark();
  const address = (isDark && brand.darkLogoUrl) || brand.logoUrl;
  return address && <img className="latchkey-logo" src={address} alt={projectName} referrerPolicy="no-referrer" />;
}

/** Shows its content in the colours of the project's branding. */
export function Branded({
  methods,
  className,
  children,
}: {
  methods: SignInMethods | null;
  className: string;
  children: ReactNode;
}): ReactNode {
  const { language } = useTexts();
  const theme = useDark() ? 'dark' : 'light';
  const { accent = null, onAccent = null } = methods?.brand[theme] ?? {};
  const { radius = null } = methods?.brand ?? {};
  const style: CSSProperties & Record<`--latchkey-${string}`, string> = {
    ...(accent !== null && { '--latchkey-accent': accent }),
    ...(onAccent !== null && { '--latchkey-on-accent': onAccent }),
    ...(radius !== null && { '--latchkey-radius': `${radius}px` }),
  };
  return (
    <div className={className} style={style} lang={language} dir={directionOf(language)}>
      {children}
    </div>
  );
}
