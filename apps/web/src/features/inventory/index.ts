export { OperationLink } from './operation-name.tsx';
export { TrafficRoom } from './traffic-room.tsx';
export { RequestBreakdown } from './breakdown/lazy.tsx';
export { texts as breakdownTexts } from './breakdown/texts.ts';
