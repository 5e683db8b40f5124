export { ConsumerLink } from './consumer-link.tsx';
export { TrafficRoom } from './traffic-room.tsx';
export { useRiskFlags } from './use-inventory.ts';
