/** Formats a value of a service's document: clients by name, lists without brackets. */
export function formatValue(value: unknown, nameOf: (clientId: string) => string): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : value.map((item) => formatValue(item, nameOf)).join(', ');
  if (isClient(value)) {
    const { client_id, addresses } = value;
    return addresses.length > 0 ? `${nameOf(client_id)} (${addresses.join(', ')})` : nameOf(client_id);
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, member]) => `${key}: ${formatValue(member, nameOf)}`)
      .join(', ');
  return JSON.stringify(value);
}

function isClient(value: unknown): value is { client_id: string; addresses: readonly string[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'client_id' in value &&
    'addresses' in value &&
    Array.isArray(value.addresses)
  );
}
