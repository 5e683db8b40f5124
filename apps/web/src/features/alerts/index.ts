export { ActiveAlerts } from './active-alerts.tsx';
