import * as z from 'zod';
import { defineSettings } from './define.ts';

/** Rules for signing in, for the whole installation. */
export const SIGN_IN_SETTINGS = defineSettings({
  key: 'sign_in',
  title: 'Sign-in',
  scope: 'installation',
  area: 'sign_in',
  whenRefused: {
    otp_enforced: true,
    password_min_length: 64,
    free_attempts: 3,
    longest_wait_s: 3600,
    session_days: 1,
    browser_idle_days: 1,
  },
  schema: z.strictObject({
    /** Requires a second factor of everybody, from the next sign-in on. */
    otp_enforced: z.boolean().default(false),
    /** In characters; for passwords that are set from now on. */
    password_min_length: z.number().int().min(12).max(64).default(12),
    /** Wrong passwords in a row, per address and account, before the caller has to wait. */
    free_attempts: z.number().int().min(3).max(20).default(5),
    /** The longest wait between two attempts, per address and account. */
    longest_wait_s: z.number().int().min(60).max(3600).default(900),
    /** Maximum age of a session, for sessions that begin from now on. */
    session_days: z.number().int().min(1).max(90).default(30),
    /** A browser that is idle for so long is signed out. */
    browser_idle_days: z.number().int().min(1).max(30).default(7),
  }),
});
export type SignInRules = z.output<typeof SIGN_IN_SETTINGS.schema>;

/** Extra requirements of a project for its members. Also served at the contract's address /setting/otp-config. */
export const OTP_SETTINGS = defineSettings({
  key: 'otp',
  title: 'Second factor',
  scope: 'project',
  area: 'sign_in',
  whenRefused: { otp_enforced: true },
  schema: z.strictObject({
    /** Admits only sessions with a second factor. Other projects of the members are not affected. */
    otp_enforced: z.boolean().default(false),
  }),
});
