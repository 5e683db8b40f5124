import * as z from 'zod';
import { defineSettings } from './define.ts';

/** How people sign in, everywhere. */
export const SIGN_IN_SETTINGS = defineSettings({
  key: 'sign_in',
  title: 'Sign-in',
  scope: 'installation',
  whenRefused: {
    otp_enforced: true,
    password_min_length: 64,
    free_attempts: 3,
    longest_wait_s: 3600,
    session_days: 1,
    browser_idle_days: 1,
  },
  schema: z.strictObject({
    /** Everybody needs a second factor, from the next sign-in on. */
    otp_enforced: z.boolean().default(false),
    /** In characters, of passwords that are chosen from now on. */
    password_min_length: z.number().int().min(12).max(64).default(12),
    /** Wrong passwords in a row, of one address for one account, that cost no wait. */
    free_attempts: z.number().int().min(3).max(20).default(5),
    /** The longest wait between two tries of one address for one account. */
    longest_wait_s: z.number().int().min(60).max(3600).default(900),
    /** However much it is used; of sessions that begin from now on. */
    session_days: z.number().int().min(1).max(90).default(30),
    /** A browser that nobody uses for so long is signed out. */
    browser_idle_days: z.number().int().min(1).max(30).default(7),
  }),
});
export type SignInRules = z.output<typeof SIGN_IN_SETTINGS.schema>;

/** What a project asks of its members besides. Under the contract's name too: /setting/otp-config. */
export const OTP_SETTINGS = defineSettings({
  key: 'otp',
  title: 'Second factor',
  scope: 'project',
  whenRefused: { otp_enforced: true },
  schema: z.strictObject({
    /** Members need a second factor, from their next sign-in on. */
    otp_enforced: z.boolean().default(false),
  }),
});
