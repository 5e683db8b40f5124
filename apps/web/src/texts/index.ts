import { jobs } from './en/jobs.ts';
import { secondFactor } from './en/second-factor.ts';

/** What the screens say, by screen. Another language is another folder with the same members. */
export const texts = { jobs, secondFactor } as const;
