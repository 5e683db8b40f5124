export * as discovery from '../gen/envoy/discovery_pb.js';
export * as extProc from '../gen/envoy/ext_proc_pb.js';
export * as fleet from '../gen/flotilla/fleet_pb.js';
export * from './connection.ts';
export * from './layout.ts';
export * from './node-id.ts';
export * from './resource-types.ts';
export * from './service-definition.ts';
export * from './traffic-metrics.ts';
