export { ForwarderConfigs } from './forwarder-configs.ts';
