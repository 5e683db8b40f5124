import { vi } from 'vitest';

/** As long as `expect.poll` waits (vitest.config.ts): the default of a second is too short for a busy machine. */
const TIMEOUT_MS = 90_000;

const { waitFor, waitUntil } = vi;

// This file is run before each test file, and the files of one worker share `vi`.
if (waitFor.name !== 'waitLonger') {
  vi.waitFor = function waitLonger(callback, options = {}) {
    return waitFor(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options });
  };
  vi.waitUntil = function waitUntilLonger(callback, options = {}) {
    return waitUntil(callback, typeof options === 'number' ? options : { timeout: TIMEOUT_MS, ...options });
  };
}
