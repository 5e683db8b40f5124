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

/** A program that forwards logs. Functions without effects return what the forwarder writes and runs. */
export interface ForwarderDriver<Config> {
  /** The name of its units. */
  readonly name: string;
  /** Checks a configuration that came with a command. The error is for people and contains no secret. */
  parse(value: unknown): Result<Config, string>;
  /** Names a program or module that the host lacks for this configuration, with what to install. */
  findLack(config: Config): Promise<string | undefined>;
  render(config: Config, places: ForwarderPlaces): readonly RenderedFile[];
  /** The command that checks a release without running it. */
  checkCommand(places: ForwarderPlaces): readonly string[];
  runCommand(places: ForwarderPlaces): readonly string[];
  /** The configuration without its secrets. */
  mask(config: Config): unknown;
  /** Texts that no message may contain. */
  secretsOf(config: Config): readonly string[];
  /** True if this part of the own log of the program says that it has started. */
  hasStarted(log: string): boolean;
  readCounters(log: string): ForwarderCounters | undefined;
}
