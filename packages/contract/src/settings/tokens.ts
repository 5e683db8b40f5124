import * as z from 'zod';
import { ROUTE_FAMILIES } from '../families.ts';
import { defineSettings } from './define.ts';

const daysSchema = z.number().int().min(1).max(3650).nullable().default(null);

/** What new API tokens may be, in every project. */
export const TOKEN_SETTINGS = defineSettings({
  key: 'tokens',
  title: 'Token rules',
  scope: 'installation',
  // No days is no bound, and no families are all of them.
  whenRefused: { longest_days: 1, default_days: 1, default_families: ['events'] },
  schema: z
    .strictObject({
      /** The end of a token lies at most so far ahead, and each has one; null: no bound, and tokens without an end. */
      longest_days: daysSchema,
      /** Life of a token whose maker names no end; null: none is given. */
      default_days: daysSchema,
      /** Families of a token whose maker names none. Empty: all of them. */
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
