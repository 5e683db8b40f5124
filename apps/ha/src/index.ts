export { HA_USAGE, runHa } from './main.ts';
