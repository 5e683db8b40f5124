export { createDefaultGroup } from './default-group.ts';
