/** Bundles the programs when a source is newer than the bundle. Returns the path of the bundle. */
export declare function ensureBuilt(): string;
