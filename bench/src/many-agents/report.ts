/** Message to a process of agents. */
export interface AgentsStart {
  /** JSON file with the hosts. */
  readonly file: string;
  readonly grpcPort: number;
  /** How many agents start in a second. */
  readonly perSecond: number;
}

/** Message of a process of agents. Counts are since its start. */
export interface AgentsReport {
  readonly connected: number;
  /** Attempts to open a command stream. */
  readonly begun: number;
  /** Attempts that the controller has put off. */
  readonly busy: number;
  /** Attempts that ended otherwise, mostly because nothing listened. */
  readonly failed: number;
  /** Time from the last loss to the newest connection. */
  readonly longestMs: number;
}
