/** A number, or a share of all in percent. */
export interface Amount {
  readonly value: number;
  readonly isShare: boolean;
}

/** Parses `5` or `10%`. Undefined: it is neither. Zero is no amount. */
export function parseAmount(text: string): Amount | undefined {
  const [, digits, sign] = /^(\d{1,6})(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (digits === undefined || value === 0 || (sign === '%' && value > 100)) return undefined;
  return { value, isShare: sign === '%' };
}
