/**
 * True in `npm run test:full`. `npm test`, and a test that is started by hand, take the shorter way wherever a test has two:
 * fewer random inputs, the newest Envoy alone, a selection of the moments at which a program is killed.
 */
export const isFullTier: boolean = process.env.FLOTILLA_TEST_TIER === 'full';

/** All of them in `npm run test:full`, otherwise the first and each `every`th after it. */
export function selectForTier<T>(cases: readonly T[], every: number): readonly T[] {
  return isFullTier ? cases : cases.filter((_, index) => index % every === 0);
}
