interface AddressFacts {
  /** Listeners that bind to the address of each client. */
  readonly clientListeners: readonly string[];
  /** IDs of assigned clients without an address. */
  readonly missingAddresses: readonly string[];
  readonly nodes: readonly { readonly client_id: string }[];
}

/** Returns the number of selected clients on which listeners cannot be generated because an address is missing. */
export function countMissingAddresses(
  { clientListeners, missingAddresses, nodes }: AddressFacts,
  chosen: readonly string[],
): number {
  if (clientListeners.length === 0) return 0;
  const listed = new Set(nodes.map(({ client_id }) => client_id));
  // A newly added client has no addresses yet.
  return chosen.filter((id) => missingAddresses.includes(id) || !listed.has(id)).length;
}
