/**
 * True in `npm run test:full`. `npm test`, and a test that is started by hand, take the shorter way wherever a test has two:
 * fewer random inputs, the newest Envoy alone, a selection of the moments at which a program is killed.
 */
export const isFullTier: boolean = process.env.FLOTILLA_TEST_TIER === 'full';
