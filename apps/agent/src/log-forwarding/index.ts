export type { ForwarderChange, ForwarderControl, ForwarderProblem } from './forwarder.ts';
export { FORWARDER_KEYS, type ForwarderKey, forwarderLogDir, LogForwarding } from './log-forwarding.ts';
