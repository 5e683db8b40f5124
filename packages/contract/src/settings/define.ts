import * as z from 'zod';
import { isSecretPath, secret } from '../secret.ts';

/**
 * One kind of settings document. A document that was never written has the defaults of its schema, so every field of
 * an unnamed kind has a default. Secrets are members of objects, never of lists or maps.
 */
export interface SettingsType<S extends z.ZodObject = z.ZodObject> {
  /** Stable: part of addresses and of stored rows. */
  readonly key: string;
  readonly title: string;
  /** installation: its owners may write, admins of any project may read. project: its admins may read and write. */
  readonly scope: 'installation' | 'project';
  /** The group of settings pages that shows the document. */
  readonly area: 'general' | 'sign_in' | 'security' | 'connections' | 'operations';
  /** No page shows the document, because nothing uses it yet. */
  readonly isUnused?: true;
  /** An installation-wide kind that a project may override with a document of its own, which its admins write. */
  readonly perProject?: true;
  /** An installation-wide kind that only owners of the installation may read, because it mentions several projects. */
  readonly ownersOnly?: true;
  /** Set if there may be many documents of the kind: the schema of their names. */
  readonly named?: z.ZodType<string>;
  readonly schema: S;
  /** Paths of secrets without which a document with this value cannot be saved. */
  wanted?(value: Readonly<Record<string, unknown>>): readonly string[];
  /**
   * Fields that say where the secrets of the document are sent. A caller who changes one of them has to give the secrets
   * again; else the caller could have them sent to an address of their choice.
   */
  readonly sentTo?: readonly string[];
  /**
   * Values for fields whose stored value a later schema refuses, until somebody stores a valid one. Given where the default
   * could be less strict than the stored value was. Other refused fields have their default.
   */
  readonly whenRefused?: Partial<z.input<S>>;
  /** If one field is refused, the whole document has its defaults: the rest alone could send secrets elsewhere or in the clear. */
  readonly refusedWhole?: true;
}

export function defineSettings<S extends z.ZodObject>(type: SettingsType<S>): SettingsType<S> {
  return type;
}

/** A secret of a settings document. A write that leaves it out keeps it; null deletes it. No answer contains it. */
export function secretText(maxLength: number) {
  return secret(z.string().min(1).max(maxLength)).nullable().optional();
}

/** Lists the paths of all secrets in a schema, such as `auth.password`. */
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
