export { FrameCollector, grpcMessage } from './frames.ts';
export { RawClient } from './raw-client.ts';
