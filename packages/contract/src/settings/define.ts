import * as z from 'zod';
import { isSecretPath, secret } from '../secret.ts';

/**
 * One kind of settings document. A document that was never written has the defaults of its schema, so every field of
 * one without a name has a default. Secrets lie in objects, never in lists or maps.
 */
export interface SettingsType<S extends z.ZodObject = z.ZodObject> {
  /** Stable: part of addresses and of what is stored. */
  readonly key: string;
  readonly title: string;
  /** Of the installation (its owners alone may write, admins of any project may read) or of each project (its admins). */
  readonly scope: 'installation' | 'project';
  /** Of the installation, and none of anybody's business but its owners': it tells of several projects. */
  readonly ownersOnly?: true;
  /** Where there may be many, what a name is. */
  readonly named?: z.ZodType<string>;
  readonly schema: S;
  /** Paths of secrets without which the document cannot be saved. */
  readonly wanted?: readonly string[];
  /**
   * Where the secrets of the document are sent. Whoever changes one of these fields gives the secrets again: else those
   * of one place could be had by naming another.
   */
  readonly sentTo?: readonly string[];
  /**
   * Of an installation that has stored what a later schema refuses, until somebody stores what it takes: what holds for a
   * refused field, where its default would be looser than what may have been stored. Others have their default.
   */
  readonly whenRefused?: Partial<z.input<S>>;
  /** Refused in one field, all of the document has its defaults: part of it would send elsewhere, or in the open. */
  readonly refusedWhole?: true;
}

export function defineSettings<S extends z.ZodObject>(type: SettingsType<S>): SettingsType<S> {
  return type;
}

/** A secret of a settings document. Left out of a write, it stays as it is; null takes it away. Never in an answer. */
export function secretText(maxLength: number) {
  return secret(z.string().min(1).max(maxLength)).nullable().optional();
}

/** Paths of the secrets of a schema, as `auth.password`. */
export function secretPathsOf(schema: z.ZodObject): string[] {
  return collect(schema, schema, []);
}

function collect(root: z.ZodObject, at: z.core.$ZodType, path: readonly string[]): string[] {
  const { def } = (at as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => {
        const inner = [...path, name];
        return isSecretPath(root, inner) ? [inner.join('.')] : collect(root, member, inner);
      });
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return collect(root, def.innerType, path);
    default:
      return [];
  }
}
