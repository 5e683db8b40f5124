import * as z from 'zod';
import { timeSchema } from './schemas.ts';

/** Marks a text that the API accepts and never returns: no answer and no audit entry holds it. Apply it last. */
export function secret(schema: z.ZodString): z.ZodString {
  return schema.meta({ secret: true });
}

/** Replaces a secret in answers. */
export const secretStateSchema = z.object({ set: z.boolean(), updated_at: timeSchema.nullable() });

/**
 * Whether the value at `path` of a value of `schema` is a secret. A path that the schema does not know counts as one. Only
 * for values without members: an object that is not secret itself may contain secrets.
 */
export function isSecretPath(schema: z.ZodType, path: readonly (string | number)[]): boolean {
  return judge(schema, path) !== 'plain';
}

type Judgement = 'secret' | 'plain' | 'unknown';

function judge(schema: z.core.$ZodType, path: readonly (string | number)[]): Judgement {
  if ((schema as z.ZodType).meta()?.secret === true) return 'secret';
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const wrapped = findWrapped(def);
  if (wrapped) return judge(wrapped, path);
  switch (def.type) {
    // The input of a pipe is what clients send and the database stores, but a transform at its start has no schema.
    case 'pipe':
      return judge((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, path);
    case 'union':
      return worst(def.options.map((option) => judge(option, path)));
    case 'intersection':
      return worst([judge(def.left, path), judge(def.right, path)]);
    default:
      return judgeMember(def, path);
  }
}

/** The schema of the same value inside of one that only says when it may be missing, or where it is defined. */
function findWrapped(def: z.core.$ZodTypes['_zod']['def']): z.core.$ZodType | undefined {
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return def.innerType;
    case 'lazy':
      return def.getter();
    default:
      return undefined;
  }
}

function judgeMember(def: z.core.$ZodTypes['_zod']['def'], path: readonly (string | number)[]): Judgement {
  const [first, ...rest] = path;
  if (first === undefined) return 'plain';
  const member = findMember(def, first);
  return member ? judge(member, rest) : 'unknown';
}

function findMember(def: z.core.$ZodTypes['_zod']['def'], name: string | number): z.core.$ZodType | null | undefined {
  switch (def.type) {
    case 'object':
      return Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall;
    case 'record':
      return def.valueType;
    case 'array':
      return def.element;
    case 'tuple':
      return def.items[Number(name)] ?? def.rest;
    default:
      return undefined;
  }
}

/** Combines the judgements of a union. Schemas that do not know the path do not count; one that finds a secret wins. */
function worst(judgements: readonly Judgement[]): Judgement {
  if (judgements.includes('secret')) return 'secret';
  return judgements.includes('plain') ? 'plain' : 'unknown';
}

/** Whether some value of `schema` contains a secret, at any depth. */
export function hasSecret(schema: z.core.$ZodType, above: ReadonlySet<z.core.$ZodType> = new Set()): boolean {
  if ((schema as z.ZodType).meta()?.secret === true) return true;
  if (above.has(schema)) return false;
  const within = new Set([...above, schema]);
  return listInner((schema as z.core.$ZodTypes)._zod.def).some((inner) => hasSecret(inner, within));
}

function listInner(def: z.core.$ZodTypes['_zod']['def']): readonly z.core.$ZodType[] {
  const wrapped = findWrapped(def);
  if (wrapped) return [wrapped];
  switch (def.type) {
    case 'pipe':
      return [def.in, def.out];
    case 'union':
      return def.options;
    case 'intersection':
      return [def.left, def.right];
    case 'object':
      return [...Object.values(def.shape), ...(def.catchall ? [def.catchall] : [])];
    case 'record':
    case 'map':
      return [def.valueType];
    case 'array':
      return [def.element];
    case 'tuple':
      return [...def.items, ...(def.rest ? [def.rest] : [])];
    default:
      return [];
  }
}
