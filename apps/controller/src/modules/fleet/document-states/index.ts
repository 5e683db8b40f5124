export { documentStates } from './views.ts';
