export { FrameCollector, grpcMessage } from './frames.ts';
export { type LoadOptions, type LoadResult, runLoad } from './load-client.ts';
export { MemoryPeer } from './memory-peer.ts';
export { RawClient } from './raw-client.ts';
