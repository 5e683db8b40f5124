export { runPass } from '../pass.ts';
