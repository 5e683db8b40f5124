import { wellKnownOf } from '@flotilla/envoy-rules';
import type { FieldDescription, MessageDescription, ValueDescription } from '../../forms/schema-source.ts';
import type { Language } from '../document/tree.ts';
import { unwrap } from '../schema/well-known.ts';

/** The initial structure of a value. A `hole` is a place for the cursor. */
export type Skeleton =
  | { readonly kind: 'hole' }
  /** An empty string. */
  | { readonly kind: 'text' }
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'object'; readonly members: readonly SkeletonMember[] }
  | { readonly kind: 'list'; readonly items: readonly Skeleton[] };

export interface SkeletonMember {
  readonly key: string;
  readonly value: Skeleton;
}

export const HOLE: Skeleton = { kind: 'hole' };

export function literal(value: string | number | boolean): Skeleton {
  return { kind: 'literal', value };
}

export function object(members: Readonly<Record<string, Skeleton>> = {}): Skeleton {
  return { kind: 'object', members: Object.entries(members).map(([key, value]) => ({ key, value })) };
}

export function list(...items: Skeleton[]): Skeleton {
  return { kind: 'list', items };
}

/** Returns the initial structure of a field: brackets of a list or an object, quotes of a string. */
export function skeletonOfField(field: FieldDescription): Skeleton {
  const value = skeletonOfValue(field.value);
  if (field.shape === 'list') return list(value);
  return field.shape === 'map' ? object() : value;
}

export function skeletonOfValue(described: ValueDescription): Skeleton {
  const value = unwrap(described);
  if (value.kind === 'scalar') return value.type === 'string' || value.type === 'bytes' ? { kind: 'text' } : HOLE;
  if (value.kind === 'enum') return { kind: 'text' };
  const wellKnown = wellKnownOf(value.type);
  if (wellKnown === 'duration' || wellKnown === 'timestamp' || wellKnown === 'field_mask') return { kind: 'text' };
  if (wellKnown === 'value') return HOLE;
  return wellKnown === 'list_value' ? list(HOLE) : object();
}

/** Returns the required members of the message. */
export function requiredMembers(message: MessageDescription | null | undefined): SkeletonMember[] {
  const required = message?.fields.filter((field) => field.required) ?? [];
  return required.map((field) => ({ key: field.name, value: skeletonOfField(field) }));
}

/**
 * Writes a template in the editor's snippet syntax: `#{}` is a place to fill in, a tab is one level deeper than the line on which the
 * template begins.
 */
export function writeValue(value: Skeleton, language: Language): string {
  return language === 'json' ? writeJson(value, 0) : writeYaml(value, 0);
}

export function writeMember({ key, value }: SkeletonMember, language: Language): string {
  return language === 'json' ? `${JSON.stringify(key)}: ${writeJson(value, 0)}` : writeYamlMember(key, value, 0);
}

function writeJson(value: Skeleton, depth: number): string {
  const line = `\n${'\t'.repeat(depth + 1)}`;
  const end = `\n${'\t'.repeat(depth)}`;
  switch (value.kind) {
    case 'hole':
      return '#{}';
    case 'text':
      return '"#{}"';
    case 'literal':
      return JSON.stringify(value.value);
    case 'list': {
      const isFlat = value.items.every((item) => item.kind !== 'object' && item.kind !== 'list');
      if (isFlat) return `[${value.items.map((item) => writeJson(item, depth)).join(', ')}]`;
      return `[${line}${value.items.map((item) => writeJson(item, depth + 1)).join(`,${line}`)}${end}]`;
    }
    case 'object': {
      if (value.members.length === 0) return `{${line}#{}${end}}`;
      const members = value.members.map(
        (member) => `${JSON.stringify(member.key)}: ${writeJson(member.value, depth + 1)}`,
      );
      return `{${line}${members.join(`,${line}`)}${end}}`;
    }
  }
}

function writeYaml(value: Skeleton, depth: number): string {
  const line = `\n${'\t'.repeat(depth)}`;
  switch (value.kind) {
    case 'hole':
    case 'text':
      return '#{}';
    case 'literal':
      return writeYamlScalar(value.value);
    case 'list':
      return value.items.map((item) => `- ${writeYaml(item, depth + 1)}`).join(line);
    case 'object':
      if (value.members.length === 0) return '#{}';
      return value.members.map((member) => writeYamlMember(member.key, member.value, depth)).join(line);
  }
}

function writeYamlMember(key: string, value: Skeleton, depth: number): string {
  const name = writeYamlScalar(key);
  const isBlock = value.kind === 'object' || value.kind === 'list';
  return isBlock
    ? `${name}:\n${'\t'.repeat(depth + 1)}${writeYaml(value, depth + 1)}`
    : `${name}: ${writeYaml(value, depth)}`;
}

const PLAIN = /^[A-Za-z_/][\w./-]*(?:\/[\w.-]+)*$/;
const READ_OTHERWISE = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

export function writeYamlScalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  return PLAIN.test(value) && !READ_OTHERWISE.test(value) ? value : JSON.stringify(value);
}
