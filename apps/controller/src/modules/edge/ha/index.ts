export { HA_OFF } from './routes-off.ts';
