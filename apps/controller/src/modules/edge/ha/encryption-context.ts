export const haKeysContext = (pairId: string) => `ha_pairs/${pairId}`;
