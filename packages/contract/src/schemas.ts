import * as z from 'zod';

export const idSchema = z.uuid();
/** RFC 3339 UTC with milliseconds. */
export const timeSchema = z.iso.datetime();

/** A name for people. `::` separates the parts of Envoy node ids and `/` those of references, so neither may occur. */
export const nameSchema = z
  .string()
  .min(1)
  .max(128)
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    'letters, digits, dot, dash and underscore; starts and ends with a letter or digit',
  );

/** Marks a member that changes on its own. A caller who sends the record back may send any state of it. Apply it last. */
export function observed<T extends z.ZodType>(schema: T): T {
  return schema.meta({ observed: true });
}

export const projectQuerySchema = z.strictObject({ project: idSchema });

export const booleanQuerySchema = z.enum(['true', 'false']).transform((text) => text === 'true');

export const dryRunQuery = { dry_run: booleanQuerySchema.optional() };

/** One or many values of a repeatable query parameter, without duplicates. */
export function repeatable<T extends z.ZodType<unknown, string>>(item: T) {
  return z.union([item.transform((one) => [one]), z.array(item).transform((values) => [...new Set(values)])]);
}

export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 1000;

/** Room for the sort values of a list: the name of a virtual host alone has up to 384 characters. */
const CURSOR_MAX_CHARS = 2048;

export const listQuery = {
  project: idSchema,
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).optional(),
  cursor: z.string().max(CURSOR_MAX_CHARS).optional(),
  sort: z.string().max(256).optional(),
  q: z.string().max(256).optional(),
};

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable(), total: z.number().int().optional() });
}

export const violationSchema = z.object({ path: z.string(), rule: z.string(), message: z.string() });

/** Answer of a write with `dry_run=true`, which changes nothing. */
export const dryRunSchema = z.object({ dry_run: z.literal(true) });

export const errorBodySchema = z.looseObject({
  code: z.string(),
  message: z.string(),
  /** The same text as `message`, for programs that expect it here. Every answer of a controller has it. */
  error: z.string().optional(),
  details: z.array(violationSchema).optional(),
  request_id: z.string(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
