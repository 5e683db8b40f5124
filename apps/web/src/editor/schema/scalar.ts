import { findNearest } from '@flotilla/kit/nearest';
import type { ValueDescription } from '../../forms/schema-source.ts';
import { texts } from '../../texts/index.ts';
import type { TreeNode } from '../document/tree.ts';
import { wellKnownOf } from './well-known.ts';

const words = texts.editor.schema.scalar;

/** How strictly a document is written: Envoy's proto-JSON forgives spelling, our own policy language does not. */
export type Dialect = 'proto' | 'policy';

export interface ScalarProblem {
  readonly rule: 'type' | 'enum';
  readonly message: string;
}

const NUMBER_TEXT = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const DURATION = /^-?\d{1,12}(?:\.\d{1,9})?s$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  sint32: [-(2n ** 31n), 2n ** 31n - 1n],
  sfixed32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  fixed32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  sint64: [-(2n ** 63n), 2n ** 63n - 1n],
  sfixed64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  fixed64: [0n, 2n ** 64n - 1n],
};

/** Whether a value has the JSON form of its type: scalars, enums, and messages that are written as a text. */
export function checkScalar(value: ValueDescription, node: TreeNode, dialect: Dialect): ScalarProblem | undefined {
  const wrong = (wanted: string): ScalarProblem => ({
    rule: 'type',
    message: words.checkScalar.mustBe(wanted, nameNode(node)),
  });
  if (value.kind === 'message') {
    const written = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
    const wellKnown = wellKnownOf(value.type);
    if (wellKnown === 'duration')
      return written !== undefined && DURATION.test(written) ? undefined : wrong(words.checkScalar.duration);
    if (wellKnown === 'timestamp')
      return written !== undefined && TIMESTAMP.test(written) ? undefined : wrong(words.checkScalar.time);
    return written === undefined ? wrong(words.checkScalar.text) : undefined;
  }
  if (node.kind !== 'scalar')
    return wrong(value.kind === 'enum' ? words.checkScalar.enumValue : describeScalar(value.type));
  if (value.kind === 'enum') return checkEnum(value, node.value, dialect);
  return fits(value.type, node.value, dialect) ? undefined : wrong(describeScalar(value.type));
}

function checkEnum(
  value: ValueDescription & { kind: 'enum' },
  given: unknown,
  dialect: Dialect,
): ScalarProblem | undefined {
  const names = value.values.filter((known) => !known.disallowed).map(({ name }) => name);
  if (dialect === 'proto' && (typeof given === 'number' || typeof given === 'bigint')) return undefined;
  const written = typeof given === 'string' ? given : undefined;
  const folded = dialect === 'proto' ? written?.toUpperCase().replaceAll('-', '_') : written;
  if (written !== undefined && value.values.some(({ name }) => name === written || name === folded)) return undefined;
  const near = written === undefined ? undefined : findNearest(written, names, { camelCase: true });
  const list = names.length > 12 ? `${names.slice(0, 12).join(', ')}, ...` : names.join(', ');
  return {
    rule: 'enum',
    message: words.checkEnum.mustBe(
      names.length === 1 ? list : words.checkEnum.oneOf(list),
      near === undefined ? '' : `; did you mean ${near}?`,
    ),
  };
}

function fits(type: string, given: unknown, dialect: Dialect): boolean {
  if (type === 'string') return typeof given === 'string';
  if (type === 'bool') return typeof given === 'boolean';
  if (type === 'bytes') return typeof given === 'string' && BASE64.test(given);
  const asText = dialect === 'proto' && typeof given === 'string' && NUMBER_TEXT.test(given);
  if (type === 'double' || type === 'float') {
    if (typeof given === 'number') return Number.isFinite(given);
    return asText || typeof given === 'bigint' || given === 'NaN' || given === 'Infinity' || given === '-Infinity';
  }
  const number = asText ? toInteger(given) : given;
  if (typeof number !== 'bigint' && !(typeof number === 'number' && Number.isInteger(number))) return false;
  const [low, high] = RANGES[type] ?? [number, number];
  return number >= low && number <= high;
}

function toInteger(text: string): number | bigint {
  return /^-?\d{1,40}$/.test(text) ? BigInt(text) : Number(text);
}

export function describeScalar(type: string): string {
  switch (type) {
    case 'string':
      return words.describeScalar.text;
    case 'bool':
      return words.describeScalar.bool;
    case 'bytes':
      return words.describeScalar.bytes;
    case 'double':
    case 'float':
      return words.describeScalar.number;
    default: {
      const range = RANGES[type];
      if (!range) return `a ${type}`;
      return type.includes('64')
        ? words.describeScalar.wholeNumber64(range[0] === 0n ? words.describeScalar.notNegative : '')
        : words.describeScalar.wholeNumber(String(range[0]), String(range[1]));
    }
  }
}

/** Never the value itself: it may be a secret in the wrong place. */
export function nameNode(node: TreeNode): string {
  if (node.kind === 'object') return words.nameNode.object;
  if (node.kind === 'list') return words.nameNode.list;
  if (node.value === null) return 'null';
  switch (typeof node.value) {
    case 'string':
      return words.nameNode.text;
    case 'boolean':
      return String(node.value);
    default:
      return words.nameNode.number;
  }
}
