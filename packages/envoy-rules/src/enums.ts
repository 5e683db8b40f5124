import { parseScalar } from './scalars.ts';

/**
 * Reads an enum value by name or number; undefined if the enum has no such value. Like Envoy's own reader it accepts names in lower
 * case and with dashes (`round_robin`), as many published examples write them.
 */
export function parseEnumValue(
  json: unknown,
  numberOf: (name: string) => number | undefined,
  isKnown: (number: number) => boolean,
): number | undefined {
  if (typeof json === 'string') return numberOf(json) ?? numberOf(foldEnumName(json));
  const number = parseScalar('int32', json);
  if (typeof number !== 'number' || !isKnown(number)) return undefined;
  return number;
}

/** Returns the spelling of a `.proto` file: `ROUND_ROBIN` for `round-robin`. */
export function foldEnumName(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}
