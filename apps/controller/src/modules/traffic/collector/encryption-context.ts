export const collectorKeyContext = (id: string) => `collector_keys/${id}`;
