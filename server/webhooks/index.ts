export type { Protocol } from './attempt.ts';
export { Deliverer } from './deliverer.ts';
export { Delivery, DeliveryQuery, listDeliveries } from './deliveries.ts';
export { webhookFanOut } from './fan-out.ts';
export { part } from './part.ts';
export { checkReceiverAddress, deleteReceiver, putReceiver, sendTo, sendToAddresses } from './receivers.ts';
export { deliveriesPerDay } from './stats.ts';
export { deliverWebhooksTask } from './webhooks.task.ts';
export { countWorkingEndpoints } from './working-endpoints.ts';
