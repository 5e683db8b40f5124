import { openTestServer } from './database.ts';

/** Keeps the server while any file of tests runs: each would start and stop it otherwise. */
export default async function holdTestServer(): Promise<() => Promise<void>> {
  const server = await openTestServer();
  return () => server.close();
}
