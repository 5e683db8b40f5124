import { jobs } from './en/jobs.ts';
import { secondFactor } from './en/second-factor.ts';
import { tokens } from './en/tokens.ts';

/** What the screens say, by screen. Another language is another folder with the same members. */
export const texts = { jobs, secondFactor, tokens } as const;
