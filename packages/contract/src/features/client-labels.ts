import {
  LABEL_KEY_FORM,
  LABEL_KEY_MAX_CHARS,
  LABEL_KEY_RULE,
  LABEL_VALUE_FORM,
  LABEL_VALUE_MAX_CHARS,
  LABEL_VALUE_RULE,
  LABELS_MAX,
  parseLabel,
} from '@flotilla/proto/commands';
import * as z from 'zod';
import { timeSchema } from '../schemas.ts';

const labelKeySchema = z.string().regex(LABEL_KEY_FORM, LABEL_KEY_RULE);
export const labelValueSchema = z.string().max(LABEL_VALUE_MAX_CHARS).regex(LABEL_VALUE_FORM, LABEL_VALUE_RULE);

/** Labels by key. */
export function clientLabelsSchema<Value extends z.ZodType>(value: Value) {
  return z
    .record(labelKeySchema, value)
    .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `at most ${LABELS_MAX} labels`);
}

/** `KEY=VALUE` or `KEY`. */
export const labelSelectorSchema = z
  .string()
  .max(LABEL_KEY_MAX_CHARS + 1 + LABEL_VALUE_MAX_CHARS)
  .refine((text) => {
    const { key, value = '' } = parseLabel(text);
    return LABEL_KEY_FORM.test(key) && LABEL_VALUE_FORM.test(value);
  }, 'KEY=VALUE or KEY');

/**
 * token     the enrolment token gave it to the client
 * host      the user of the host gave it to the agent, before enrolment
 * operator  somebody has set it since
 */
export const LABEL_ORIGINS = ['token', 'host', 'operator'] as const;
export type LabelOrigin = (typeof LABEL_ORIGINS)[number];

export const clientLabelSchema = z.object({
  key: z.string(),
  value: z.string(),
  origin: z.enum(LABEL_ORIGINS),
  set_at: timeSchema,
  /** Null for a label that was given at enrolment. */
  set_by: z.string().nullable(),
});
export type ClientLabel = z.infer<typeof clientLabelSchema>;
