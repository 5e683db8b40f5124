export * from './admin-probe.ts';
export * from './ads-client.ts';
export * from './ads-service.ts';
export * from './node-plan.ts';
