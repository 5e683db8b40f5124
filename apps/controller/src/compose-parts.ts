import type { Database } from '@flotilla/db';
import type { Lifecycle, Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import type { ControllerConfig } from './config.ts';
import type { Leading } from './features/controllers/index.ts';
import type { Jobs } from './features/jobs/index.ts';
import type { InstallationKeyring } from './features/keyring/index.ts';
import type { Settings } from './features/settings/index.ts';

/** What every part of the controller is built on. */
export interface ComposeParts {
  readonly config: ControllerConfig;
  readonly database: Database;
  readonly keyring: InstallationKeyring;
  readonly settings: Settings;
  /** Where work is put that goes on after the answer; types are registered by whoever has them. */
  readonly jobs: Jobs;
  /** Of the work that one controller of all does at a time. */
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** A part adds what it has started; it is closed in the reverse order. */
  readonly lifecycle: Lifecycle;
}
