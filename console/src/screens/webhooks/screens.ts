import { lazyRouteComponent } from '@tanstack/react-router';

/** The screens of webhooks, by their path in the project. */
export const webhooksScreens = [
  ['/webhooks', lazyRouteComponent(() => import('./Endpoints.tsx'), 'Endpoints')],
  ['/webhooks/deliveries', lazyRouteComponent(() => import('./Deliveries.tsx'), 'Deliveries')],
  ['/webhooks/deliveries/$id', lazyRouteComponent(() => import('./Delivery.tsx'), 'Delivery')],
  ['/webhooks/event-types', lazyRouteComponent(() => import('./EventTypes.tsx'), 'EventTypes')],
  ['/webhooks/$id', lazyRouteComponent(() => import('./Endpoint.tsx'), 'Endpoint')],
] as const;
