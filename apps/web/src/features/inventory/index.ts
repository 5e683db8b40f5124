export { OperationLink } from './operation-name.tsx';
export { TrafficRoom } from './traffic-room.tsx';
