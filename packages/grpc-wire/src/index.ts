export * from './ext-proc/index.ts';
export * from './ext-proc/index.ts';
export type { Call, CallHandler, OpenCall } from './grpc/call.ts';
export { type PreparedMessage, prepareMessage } from './grpc/prepared-message.ts';
export { createGrpcServer, type GrpcServer, type GrpcServerOptions } from './grpc/server.ts';
export {
  createWireCounters,
  WIRE_LIMIT_NAMES,
  type WireCounters,
  type WireLimitName,
} from './http2/counters.ts';
export { DEFAULT_WIRE_LIMITS, type WireLimits } from './http2/limits.ts';
export type { ListenAddress } from './http2/listener.ts';
export { createFrame, FLAG, FRAME, FRAME_HEAD_BYTES, PREFACE } from './http2/protocol.ts';
export type { WireError } from './http2/wire-error.ts';
