export { renderEnvoyConfig } from './envoy-config.ts';
export { runShield, type ShieldIo } from './run.ts';
