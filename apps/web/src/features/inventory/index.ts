export { TrafficRoom } from './traffic-room.tsx';
