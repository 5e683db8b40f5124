import type { InventoryOperationSummary } from '@flotilla/contract';
import { formatExact } from '../../../ui/index.ts';
import { isTime } from '../../audit/index.ts';
import type { FlagCatalogue } from '../use-inventory.ts';

type Method = InventoryOperationSummary['method'];
type Protocol = InventoryOperationSummary['protocols'][number];

const METHODS = {
  GET: true,
  POST: true,
  PUT: true,
  PATCH: true,
  DELETE: true,
  HEAD: true,
  OPTIONS: true,
  CONNECT: true,
  TRACE: true,
  OTHER: true,
} satisfies Readonly<Record<Method, true>>;

const PROTOCOLS = {
  'http/1.0': true,
  'http/1.1': true,
  'http/2': true,
  'http/3': true,
  tcp: true,
  grpc: true,
  graphql: true,
} satisfies Readonly<Record<Protocol, true>>;

export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Options of values that people know by their own names. */
export const toPlain = (values: readonly string[]): readonly Option[] =>
  values.map((value) => ({ value, label: value }));

export const toWords = (words: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

export const METHOD_OPTIONS = toPlain(Object.keys(METHODS));
export const PROTOCOL_OPTIONS = toPlain(Object.keys(PROTOCOLS));

/** Flags by title; the most severe first, as the catalogue has them. */
export function toFlagOptions({ flags }: FlagCatalogue): readonly Option[] {
  return flags.map(({ flag, title }) => ({ value: flag, label: title }));
}

/** A time of the URL for people. The URL may contain anything. */
export function describeTime(value: string): string {
  return isTime(value) ? formatExact(value) : value;
}
