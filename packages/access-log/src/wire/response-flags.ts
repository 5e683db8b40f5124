/**
 * Short names of the fields of envoy.data.accesslog.v3.ResponseFlags by field number, as in the command operator %RESPONSE_FLAGS%. Field 13 is a message
 * (unauthorized_details).
 */
export const RESPONSE_FLAGS: readonly string[] = [
  '',
  'LH',
  'UH',
  'UT',
  'LR',
  'UR',
  'UF',
  'UC',
  'UO',
  'NR',
  'DI',
  'FI',
  'RL',
  'UAEX',
  'RLSE',
  'DC',
  'URX',
  'SI',
  'IH',
  'DPE',
  'UMSDR',
  'RFCF',
  'NFCF',
  'DT',
  'UPE',
  'NC',
  'OM',
  'DF',
  'DR',
];

const known = new Map<number, string>([[0, '']]);

/** Sorted and joined by commas. `flags` has bit n for field n. */
export function toFlagText(flags: number): string {
  const cached = known.get(flags);
  if (cached !== undefined) return cached;
  const names = RESPONSE_FLAGS.filter((name, field) => name !== '' && ((flags >>> field) & 1) === 1);
  const text = names.toSorted().join();
  if (known.size < 4096) known.set(flags, text);
  return text;
}
