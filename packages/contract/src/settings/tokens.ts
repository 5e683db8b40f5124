import * as z from 'zod';
import { ROUTE_FAMILIES } from '../families.ts';
import { defineSettings } from './define.ts';

const daysSchema = z.number().int().min(1).max(3650).nullable().default(null);

/** Rules for new API tokens in every project. */
export const TOKEN_SETTINGS = defineSettings({
  key: 'tokens',
  title: 'Token rules',
  scope: 'installation',
  area: 'sign_in',
  // Null days would mean no bound, and an empty list all scopes.
  whenRefused: { longest_days: 1, default_days: 1, default_families: ['events'] },
  schema: z
    .strictObject({
      /** Longest lifetime of a token, which makes an end mandatory. Null: no bound, and tokens without an end are allowed. */
      longest_days: daysSchema,
      /** Lifetime of a token that is created without an end; null: it does not expire. */
      default_days: daysSchema,
      /** Scopes of a token that is created without any. Empty: all of them. */
      default_families: z
        .array(z.enum(ROUTE_FAMILIES))
        .refine((families) => new Set(families).size === families.length, 'each family once')
        .default([]),
    })
    .refine(({ longest_days, default_days }) => longest_days === null || (default_days ?? 0) <= longest_days, {
      path: ['default_days'],
      message: 'must not be more than longest_days',
    }),
});
export type TokenRules = z.output<typeof TOKEN_SETTINGS.schema>;
