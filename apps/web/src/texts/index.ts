import { secondFactor } from './en/second-factor.ts';

/** What the screens say, by screen. Another language is another folder with the same members. */
export const texts = { secondFactor } as const;
