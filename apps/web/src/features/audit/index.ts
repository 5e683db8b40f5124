export { actionWords, resourceName } from './entry-words.ts';
