import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Little text, and a minute or more each: in a fresh clone, where only the sizes of files are known, they came last and
 * most of the machine waited for them.
 */
const LONGEST = [
  '/envoy-api/src/verdict.real.test.ts',
  '/xds-grpc/src/under-load.real.test.ts',
  '/shield/src/soak.real.test.ts',
];

/** The order of vitest, with what takes longest in front. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((path) => moduleId.endsWith(path));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
