export { REASON_WORDS, reasonWords } from './reason-words.ts';
