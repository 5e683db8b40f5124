/** Parts of the JSON encoding of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. 64-bit integers are texts. */
export type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

const TEXT_MAX = 8192;

/** Texts are cut. Lists and objects are JSON. */
export function toAnyValue(value: unknown): AnyValue {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { intValue: String(value) };
  if (typeof value === 'number' && Number.isFinite(value)) return { doubleValue: value };
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return { stringValue: text.slice(0, TEXT_MAX).toWellFormed() };
}

export function toAttributes(values: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

/** Milliseconds since 1970 as nanoseconds. */
export function toNanos(ms: number): string {
  return `${BigInt(Math.round(ms * 1000)) * 1000n}`;
}

export const toResource = (attributes: Readonly<Record<string, string>>) => ({ attributes: toAttributes(attributes) });
