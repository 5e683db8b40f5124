export { DeliveryStage } from './delivery.ts';
export { Receiver } from './receiver.ts';
export { AlertStage } from './stage.ts';
