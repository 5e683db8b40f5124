export type { ForwarderChange, ForwarderControl } from './forwarder.ts';
export { FORWARDER_KEYS, type ForwarderKey, forwarderLogDir, LogForwarding } from './log-forwarding.ts';
export type { ForwarderProblem } from './types.ts';
