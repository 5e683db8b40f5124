/** Of keys that secrets are sealed with. */
export type KeyTables = Record<never, never>;
