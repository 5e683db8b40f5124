/** The work of the process that creates a bundle. It contains no secrets. */
export interface BundleOrder {
  readonly id: string;
  /** Contains `etc` and `var/log` of the host; `/` except in tests and containers. */
  readonly root: string;
  /** The data folder of the agent. */
  readonly dataDir: string;
  readonly services: readonly BundleService[];
  readonly vtysh: string;
  readonly journalCommand: readonly string[];
  /** Bytes of all content, before it is packed. */
  readonly contentMax: number;
  readonly timeMaxMs: number;
  readonly expiresAfterMs: number;
}

export interface BundleService {
  /** Names its folder in the archive. */
  readonly key: string;
  readonly logDir: string;
  readonly filesDir: string;
  readonly bootstrapFile: string;
}
