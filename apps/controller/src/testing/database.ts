import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { FEATURES } from '../features.ts';
import { mergeMigrations } from '../platform/features/index.ts';

/** A fresh database with the tables of all features. `close()` drops it. */
export const createControllerDatabase = (): Promise<TestDatabase> => createTestDatabase(mergeMigrations(FEATURES));
