import type { Result } from '@flotilla/kit';

/** The folders of a forwarder. Only the agent's user may read them. */
export interface ForwarderPlaces {
  /** The files of one release: a configuration with everything that it refers to. */
  readonly releaseDir: string;
  /** The state that the program keeps across releases: how far it has read, and undelivered lines. */
  readonly workDir: string;
  readonly logDir: string;
}

export interface RenderedFile {
  readonly name: string;
  readonly text: string;
}

/** The state of the program, from its own counters. */
export interface ForwarderCounters {
  /** Lines that were read since the program started. */
  readonly read: number;
  /** Lines that wait for the server. */
  readonly waiting: number;
  readonly failed: number;
  /** The server cannot be reached. */
  readonly suspended: boolean;
}

/** Why a change was not made. The host is then as it was before. */
export interface ForwarderProblem {
  readonly outcome: 'failed' | 'refused';
  readonly code: string;
  readonly message: string;
}

/** A kind of forwarder: reads its configuration and picks the program that runs it. */
export interface ForwarderKind<Config> {
  /** Checks a configuration that came with a command, and that the host has what it needs. Messages contain no secret. */
  plan(value: unknown): Promise<Result<Config, ForwarderProblem>>;
  /** Undefined: the program is not installed. */
  findDriver(config: Config): Promise<ForwarderDriver<Config> | undefined>;
  /** The configuration without its secrets. */
  mask(config: Config): unknown;
  /** Texts that no message may contain. */
  secretsOf(config: Config): readonly string[];
}

/** A program that forwards logs. Functions without effects return what the forwarder writes and runs. */
export interface ForwarderDriver<Config> {
  /** Names the program in the status. */
  readonly name: string;
  /** The file in the log folder to which the program writes about itself. */
  readonly ownLog: string;
  render(config: Config, places: ForwarderPlaces): readonly RenderedFile[];
  /** The command that checks a release without running it. */
  checkCommand(places: ForwarderPlaces): readonly string[];
  runCommand(places: ForwarderPlaces): readonly string[];
  /** True if this part of the own log of the program says that it has started. */
  hasStarted(log: string): boolean;
  /** Undefined: the program does not count, or has not yet. */
  readCounters(log: string): ForwarderCounters | undefined;
}
