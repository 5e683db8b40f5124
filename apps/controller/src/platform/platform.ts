import type { Database } from '@flotilla/db';
import type { Lifecycle, Logger } from '@flotilla/kit';
import type { Registry } from 'prom-client';
import type { ControllerConfig } from './config.ts';
import type { Feature } from './features/index.ts';
import type { Jobs } from './jobs/index.ts';
import type { InstallationKeyring } from './keyring/index.ts';
import type { Leading } from './presence/index.ts';
import type { Settings } from './settings/index.ts';

/** The mechanisms that every module uses. `compose.ts` constructs them. */
export interface Platform {
  readonly config: ControllerConfig;
  /** The manifests of all features. */
  readonly features: readonly Feature[];
  readonly database: Database;
  readonly keyring: InstallationKeyring;
  readonly settings: Settings;
  /** Queues work that outlives a request. The module that owns a job type registers it. */
  readonly jobs: Jobs;
  /** Says which controller does the work that only one of them may do. */
  readonly leadership: Leading;
  readonly logger: Logger;
  readonly metrics: Registry;
  /** Each module adds what it started; closing runs in the reverse order. */
  readonly lifecycle: Lifecycle;
}
