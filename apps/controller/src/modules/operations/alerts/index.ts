export { startAlerts } from './service.ts';
