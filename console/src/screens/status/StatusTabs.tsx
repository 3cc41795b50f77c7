import type { ReactNode } from 'react';
import { useAt } from '#shell/place.ts';
import { Tabs } from '#ui/page.tsx';
import { Loaded } from '#ui/states.tsx';
import { Publishing } from './Publishing.tsx';
import { useStatusPage } from './pageAddress.ts';

/** The tabs and one of them; before the project has a page, how to make one. */
export function StatusTabs({ children }: { children: ReactNode }) {
  const at = useAt();
  return (
    <Loaded query={useStatusPage()}>
      {(page) =>
        page.url === null ? (
          <Publishing page={page} />
        ) : (
          <>
            <Tabs
              name="Status"
              tabs={[
                { to: at('/status'), label: 'Incidents' },
                { to: at('/status/maintenance'), label: 'Maintenance' },
                { to: at('/status/templates'), label: 'Templates' },
                { to: at('/status/components'), label: 'Components' },
                { to: at('/status/subscribers'), label: 'Subscribers' },
                { to: at('/status/settings'), label: 'Settings' },
              ]}
            />
            {children}
          </>
        )
      }
    </Loaded>
  );
}
