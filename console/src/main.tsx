import '@fontsource-variable/inter/index.css';
import '@fontsource-variable/jetbrains-mono/index.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { nonce } from '#api/nonce.ts';
import { AskProvider } from '#ui/ask.tsx';
import { router } from './router.tsx';
import { theme } from './theme.ts';

// The scroll lock of dialogs creates its own style element.
setNonce(nonce);

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        {/* Not at the bottom, where the bar that saves a form is. */}
        <Notifications position="top-center" autoClose={5000} aria-live="polite" />
        <AskProvider>
          <RouterProvider router={router} />
        </AskProvider>
      </MantineProvider>
    </StrictMode>,
  );
