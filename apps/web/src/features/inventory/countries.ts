const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** Returns the name of a country; an unknown code is shown as it is. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code;
  return names.of(code) ?? code;
}
