import type { Part } from '#platform/part.ts';
import { builtApplicationRoutes } from './application.page.ts';
import { backfillRoutes } from './backfills.console.ts';
import { builtDocumentationRoutes } from './documentation.page.ts';
import { logRoutes } from './logs.console.ts';
import { consoleDescriptionRoutes } from './openapi.console.ts';
import { previewRoutes } from './preview.console.ts';
import { promotionRoutes } from './promotion.console.ts';

export const part = {
  routes: {
    console: [
      ...logRoutes,
      ...backfillRoutes,
      ...consoleDescriptionRoutes,
      ...previewRoutes,
      ...promotionRoutes,
      ...builtApplicationRoutes,
      ...builtDocumentationRoutes,
    ],
  },
} satisfies Part;
