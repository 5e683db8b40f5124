/**
 * What the screens say, by screen. Another language is another folder with the same members. Each screen fetches its own
 * words only.
 */
export * as texts from './en/index.ts';
