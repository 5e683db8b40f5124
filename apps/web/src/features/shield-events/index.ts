export { reasonWords } from './reason-words.ts';
