export { lookOf } from './condition.ts';
